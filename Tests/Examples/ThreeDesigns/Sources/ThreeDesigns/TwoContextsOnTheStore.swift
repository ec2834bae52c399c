// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// Design 1: the main context and the background context are siblings on one coordinator.
///
/// ```
///   main      background      each saves to the disk
///       ╲     ╱
///     coordinator
/// ```
///
/// Core Data:
///
/// ```swift
/// let main = container.viewContext
/// let background = container.newBackgroundContext()
/// NotificationCenter.default.addObserver(
///   forName: .NSManagedObjectContextDidSave, object: background, queue: .main
/// ) { main.mergeChanges(fromContextDidSave: $0) }
///
/// background.perform {
///   batch(background)
///   try! background.save()
/// }
/// ```
///
/// Each save of the background context waits for the disk, in its own task. The main context never
/// waits. It finds new objects by itself; objects that it has loaded get their new values by the
/// merge. If both change one object, the second save finds a conflict.
@MainActor func importWithTwoContextsOnTheStore(
  _ batches: [GeonamesImport.Batch], into file: URL, measuring costs: inout Costs
) async throws -> Screen {
  let coordinator = try PersistentStoreCoordinator(at: file, model: .geonames())
  let main = ManagedObjectContext(parent: coordinator)
  let background = ContextQueue(parent: coordinator)

  let saves = background.messages(.didSave)
  let merging = Task {
    for await message in saves { try main.mergeChanges(fromContextDidSave: message) }
  }
  defer { merging.cancel() }

  for batch in batches {
    try await background.perform { try batch($0) }
    try await costs.measure(.toDisk, blocksMain: false) { try await background.save() }
    try costs.measureReading { try Screen(of: main) }
  }
  return try Screen(of: main)
}

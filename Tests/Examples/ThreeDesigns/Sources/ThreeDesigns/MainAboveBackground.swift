// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// Design 2: the main context is on the coordinator, and the background context is its child.
///
/// ```
///   background      saves to main, in memory
///       │
///     main          saves to the disk
///       │
///   coordinator
/// ```
///
/// Core Data:
///
/// ```swift
/// let main = container.viewContext
/// let background = NSManagedObjectContext(.privateQueue)
/// background.parent = main
///
/// background.perform {
///   batch(background)
///   try! background.save()
///   main.perform { try! main.save() }
/// }
/// ```
///
/// The main context has each batch at once and needs no merge. But it is the one that saves to the
/// disk: `save()` blocks the main actor for each commit. In Core Data, the fetches and saves of the
/// child block the main queue as well; here a child never waits for its parent.
@MainActor func importWithMainAboveBackground(
  _ batches: [GeonamesImport.Batch], into file: URL, measuring costs: inout Costs
) async throws -> Screen {
  let coordinator = try PersistentStoreCoordinator(at: file, model: .geonames())
  let main = ManagedObjectContext(parent: coordinator)
  let background = ContextQueue(parent: main.layer)

  for batch in batches {
    try await background.perform { try batch($0) }
    try await costs.measure(.inMemory, blocksMain: false) { try await background.save() }
    try costs.measure(.toDisk, blocksMain: true) { try main.save() }
    try costs.measureReading { try Screen(of: main) }
  }
  return try Screen(of: main)
}

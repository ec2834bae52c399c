// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// Design 3: a private root saves to the disk; the main context and the workers are its children.
///
/// ```
///   main      worker …      each saves to the root, in memory
///       ╲     ╱
///        root               saves to the disk, in the background
///         │
///    coordinator
/// ```
///
/// Core Data:
///
/// ```swift
/// let root = NSManagedObjectContext(.privateQueue)
/// root.persistentStoreCoordinator = coordinator
/// let main = NSManagedObjectContext(.mainQueue)
/// main.parent = root
/// let worker = NSManagedObjectContext(.privateQueue)
/// worker.parent = root
///
/// worker.perform {
///   batch(worker)
///   try! worker.save()
///   root.perform { try! root.save() }
/// }
/// ```
///
/// `PersistentContainer` makes this design. Nothing that the main actor does waits for the disk.
/// The program decides when the root saves: changes that the root has not saved are lost if the
/// process ends.
@MainActor func importWithPrivateRoot(
  _ batches: [GeonamesImport.Batch], into file: URL, measuring costs: inout Costs
) async throws -> Screen {
  let container = try PersistentContainer(at: file, model: .geonames())
  let main = container.viewContext
  let worker = container.newBackgroundContext()

  for batch in batches {
    try await worker.perform { try batch($0) }
    try await costs.measure(.inMemory, blocksMain: false) { try await worker.save() }
    try costs.measureReading { try Screen(of: main) }
    try await costs.measure(.toDisk, blocksMain: false) { try await container.root.save() }
  }
  return try Screen(of: main)
}

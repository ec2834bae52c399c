// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataTestSupport
import Testing

/// A warehouse in a file, and a context that merges what happens to it.
private struct Branch {
  let folder: TemporaryDirectory
  let container: PersistentContainer
  let observer: ContextQueue
  let log: MergeLog

  /// - Parameter seed: decides what is in it.
  init(seed: UInt64, wareCount: Int) throws {
    folder = try TemporaryDirectory()
    container = try PersistentContainer(
      at: folder.file("store"), model: Warehouse.model(), durability: .none)
    try container.root.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      context.fillWarehouse(wareCount, &random)
      try context.save()
    }
    observer = ContextQueue(parent: container.coordinator)
    try observer.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      context.retainsRegisteredObjects = true
      for ware in try context.fetch(Ware.all) { _ = ware.rack?.total }
      for memo in try context.fetch(Memo.all.limit(3)) { _ = memo.text }
    }
    log = MergeLog(observer.layer)
  }

  var contents: StoreContents {
    get throws { try StoreContents(of: folder.file("store")) }
  }

  /// What the observer has been told.
  func told() throws -> Told {
    try observer.performAndWait { _ in }
    return Told(
      deleted: Set(log.deleted.map(\.key)), refreshed: Set(log.refreshed.map(\.key)),
      inserted: Set(log.inserted.map(\.key)))
  }
}

private struct Told: Equatable {
  let deleted: Set<ObjectKey>
  let refreshed: Set<ObjectKey>
  let inserted: Set<ObjectKey>
}

/// An error of a save or a batch in words that are the same for both stores.
private func plain(_ error: any Error) -> [String] {
  switch error as? ContextError {
  case .deleteDenied(let denied)?:
    denied.map { "\($0.objectID.key.rawValue) \($0.relationship)" }.sorted()
  case .validationFailed(let failures)?:
    failures.map { "\($0.objectID.key.rawValue) \($0.property ?? "") \($0.rule)" }.sorted()
  default: ["\(error)"]
  }
}

private func refusal(_ body: () throws -> Void) -> [String] {
  do { try body() } catch { return plain(error) }
  return []
}

/// The same deletion by a batch in one store and object by object in another.
private struct Comparison {
  let batch: Branch
  let single: Branch
  private(set) var isRefused = false

  private static let sizes = [1, 7, 24, 60]

  /// - Returns: what differs afterwards, in words; nil if nothing does.
  static func difference(
    _ random: inout SeededGenerator, fault: PlantedFault? = nil, isRefused: inout Bool
  ) throws -> String? {
    let contents = random.next()
    let size = Self.sizes[Int.random(in: 0..<Self.sizes.count, using: &random)]
    var comparison = Comparison(
      batch: try Branch(seed: contents, wareCount: size),
      single: try Branch(seed: contents, wareCount: size))
    #if DEBUG
      let schema = comparison.batch.container.coordinator.schema
      PlantedFault.plant(fault, in: schema)
      defer { PlantedFault.plant(nil, in: schema) }
    #endif
    let choice = Int.random(in: 0..<18, using: &random)
    let number = Int.random(in: 0..<size, using: &random)
    let difference = try comparison.deleteAndCompare(choice, number)
    isRefused = comparison.isRefused
    return difference.map { "choice \(choice), \(size) wares: \($0)" }
  }

  private mutating func deleteAndCompare(_ choice: Int, _ number: Int) throws -> String? {
    let before = try batch.contents
    if try before != single.contents { return "they were not the same before" }
    let (ofBatch, ofSingle, count) = try delete(choice, number)
    isRefused = !ofBatch.isEmpty
    if ofBatch != ofSingle { return "refused for \(ofBatch), and for \(ofSingle)" }
    let after = try batch.contents
    let differences = try after.differences(from: single.contents)
    if !differences.isEmpty { return differences.prefix(5).joined(separator: "; ") }
    if isRefused && after != before { return "it was refused, and has changed something" }
    let (told, toldBySingle) = (try batch.told(), try single.told())
    if told != toldBySingle { return "told \(told), and \(toldBySingle)" }
    if !isRefused, count != told.deleted.count { return "\(count) counted, not \(told)" }
    return nil
  }

  private typealias Outcome = (ofBatch: [String], ofSingle: [String], count: Int)

  private func delete(_ choice: Int, _ number: Int) throws -> Outcome {
    switch choice {
    case 0: try delete(Ware.all)
    case 1: try delete(Crate.all)
    case 2: try delete(Barrel.all)
    case 3: try delete(Rack.all)
    case 4: try delete(Depot.all)
    case 5: try delete(Sticker.all)
    case 6: try delete(Lid.all)
    case 7: try delete(Memo.all)
    case 8: try delete(Visit.all)
    case 9: try delete(Gate.all)
    case 10: try delete(Ware.where { $0.value < number })
    case 11: try delete(Barrel.where { $0.litres < 10 })
    case 12: try delete(Crate.where { $0.rack != nil })
    case 13: try delete(Rack.where { $0.code != nil })
    case 14: try delete(Depot.where { $0.name == "depot 0" })
    case 15: try delete(Ware.all.sorted(by: \.value).offset(1).limit(number))
    case 16: try delete(Sticker.where { $0.text == nil })
    default: try delete(Memo.where { $0.kept == nil })
    }
  }

  private func delete<T: Entity>(_ request: FetchRequest<T>) throws -> Outcome {
    var count = 0
    let ofBatch = refusal {
      count = try batch.container.coordinator.execute(BatchDeleteRequest(request)).count
    }
    let ofSingle = refusal {
      let context = ManagedObjectContext(parent: single.container.coordinator)
      for object in try context.fetch(request) { context.delete(object) }
      try context.save()
    }
    return (ofBatch, ofSingle, count)
  }
}

@Suite struct `A batch delete of anything` {
  @Test func `leaves what single deletions leave, and tells the same`() throws {
    let seed = SeededGenerator.firstSeed()
    print("a batch delete of anything: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var (refusedCount, doneCount) = (0, 0)
    for round in 0..<120 {
      var isRefused = false
      let difference = try Comparison.difference(&random, isRefused: &isRefused)
      #expect(difference == nil, "seed \(seed), round \(round)")
      if isRefused { refusedCount += 1 } else { doneCount += 1 }
    }
    print("a batch delete of anything: \(doneCount) done, \(refusedCount) refused")
    #expect(doneCount > 30 && refusedCount > 0)
  }

  #if DEBUG
    @Test func `differs with a planted mistake`() throws {
      var random = SeededGenerator(seed: 1)
      var isFound = false
      for _ in 0..<60 where !isFound {
        var isRefused = false
        isFound =
          try Comparison.difference(&random, fault: .batchForgetsEnds, isRefused: &isRefused) != nil
      }
      #expect(isFound)
    }
  #endif
}

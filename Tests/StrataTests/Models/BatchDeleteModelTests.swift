// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataTestSupport
import Testing

/// An error of a save or a batch in words that are the same for both stores.
private func plain(_ error: any Error) -> [String] {
  switch error as? ContextError {
  case .deleteDenied(let denied)?:
    denied.map { "\($0.objectID.key.rawValue) \($0.property)" }.sorted()
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
private struct Comparison: Model {
  var random: ModelRandom
  private let batch: WarehouseBranch
  private let single: WarehouseBranch
  private let planting: Planting
  private let number: Int

  init(_ setup: ModelRandom, fault: PlantedFault? = nil) throws {
    random = setup
    let (seed, size) = (random.next(), random.pick([1, 7, 24, 60]) ?? 1)
    batch = try WarehouseBranch(seed: seed, wareCount: size)
    single = try WarehouseBranch(seed: seed, wareCount: size)
    planting = Planting(fault, in: batch.container)
    number = random.below(size)
    random.note("\(size) wares, number \(number)")
  }

  static var operations: [ModelOperation<Comparison>] {
    [
      ModelOperation("wares") { try $0.delete(Ware.all) },
      ModelOperation("crates") { try $0.delete(Crate.all) },
      ModelOperation("barrels") { try $0.delete(Barrel.all) },
      ModelOperation("racks") { try $0.delete(Rack.all) },
      ModelOperation("depots") { try $0.delete(Depot.all) },
      ModelOperation("stickers") { try $0.delete(Sticker.all) },
      ModelOperation("lids") { try $0.delete(Lid.all) },
      ModelOperation("memos") { try $0.delete(Memo.all) },
      ModelOperation("visits") { try $0.delete(Visit.all) },
      ModelOperation("gates") { try $0.delete(Gate.all) },
      ModelOperation("cheap wares") { comparison in
        let number = comparison.number
        try comparison.delete(Ware.where { $0.value < number })
      },
      ModelOperation("small barrels") { try $0.delete(Barrel.where { $0.litres < 10 }) },
      ModelOperation("crates in racks") { try $0.delete(Crate.where { $0.rack != nil }) },
      ModelOperation("racks with codes") { try $0.delete(Rack.where { $0.code != nil }) },
      ModelOperation("a depot") { try $0.delete(Depot.where { $0.name == "depot 0" }) },
      ModelOperation("a window") { comparison in
        try comparison.delete(Ware.all.sorted(by: \.value).offset(1).limit(comparison.number))
      },
      ModelOperation("stickers without text") { try $0.delete(Sticker.where { $0.text == nil }) },
      ModelOperation("memos of no rack") { try $0.delete(Memo.where { $0.kept == nil }) },
    ]
  }

  private mutating func delete<T: Entity>(_ request: FetchRequest<T>) throws {
    let before = try batch.contents
    if try before != single.contents { throw ModelDifference("not the same before") }
    var count = 0
    let ofBatch = refusal {
      count = try batch.container.coordinator.execute(BatchDeleteRequest(request)).deletedCount
    }
    let ofSingle = refusal {
      let context = ManagedObjectContext(parent: single.container.coordinator)
      for object in try context.fetch(request) { context.delete(object) }
      try context.save()
    }
    try expectSame(ofBatch, ofSingle, "what it is refused for")
    random.count(ofBatch.isEmpty ? "done" : "refused")
    let after = try batch.contents
    try expectNone(Array(try after.differences(from: single.contents).prefix(5)))
    let told = try batch.told()
    try expectSame(told, single.told(), "what contexts are told")
    if ofBatch.isEmpty {
      try expectSame(count, told.deleted.count, "the count")
    } else if after != before {
      throw ModelDifference("it was refused, and has changed something")
    }
  }
}

@Suite struct `A batch delete of anything` {
  @Test func `leaves the same as single deletions, and reports the same`() async {
    let failure = await ModelTest(
      "batch deletes", sequences: 120, steps: 1, meets: ["done": 31, "refused": 1]
    ) { try Comparison($0) }.firstFailure()
    #expect(failure == nil)
  }

  #if DEBUG
    @Test func `differs with a planted mistake`() async {
      let failure = await ModelTest(
        "batch deletes with a fault", sequences: 300, steps: 1, first: 1
      ) { try Comparison($0, fault: .batchForgetsEnds) }.firstFailure(isShrunk: false)
      #expect(failure != nil)
    }
  #endif
}

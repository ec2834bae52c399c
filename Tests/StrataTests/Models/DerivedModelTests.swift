// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private let policies: [MergePolicy] = [
  .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  .custom("ours or theirs") { conflict in
    conflict.ourValues == nil ? .keepTheirs : .apply(.mergeByPropertyObjectTrump)
  },
]

/// Two contexts on one store that do random things, and save now and then by a random policy, without
/// a look at what the other has saved. After a refused save a context takes everything back.
private struct RandomHarbour: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let contexts: [ManagedObjectContext]
  private var count = 0

  init(_ random: ModelRandom) throws {
    self.random = random
    let container = try republic()
    self.container = container
    contexts = (0..<2).map { _ in ManagedObjectContext(parent: container.coordinator) }
  }

  static var operations: [ModelOperation<RandomHarbour>] {
    [
      ModelOperation("edit", weight: 4) { try $0.edit($0.contexts[$0.random.below(2)]) },
      ModelOperation("save") { try $0.save() },
    ]
  }

  private mutating func edit(_ context: ManagedObjectContext) throws {
    count += 1
    let number = random.below(9)
    let port = random.pick(try context.fetch(Port.all))
    let ship = random.pick(try context.fetch(Ship.all))
    let sailor = random.pick(try context.fetch(Sailor.all))
    let choice = random.below(16)
    random.note("  \(choice) \(number)")
    switch choice {
    case 0, 1: context.port("P\(count)", code: number < 3 ? "\(number)" : nil)
    case 2: context.ship("S\(count)", tonnage: number, in: port)
    case 3: Barge(in: context).tanker = context.tanker("T\(count)", tonnage: number, in: port)
    case 4:
      let sailor = Sailor(in: context)
      sailor.wage = Double(number)
      ship?.crew.insert(sailor)
    case 5: ship?.port = number < 2 ? nil : port
    case 6: ship?.tonnage = number
    case 7: ship?.plate = number < 3 ? nil : "P\(count)"
    case 8: port?.name = "P\(count)"
    case 9: port?.code = number < 3 ? "\(number)" : nil
    case 10: sailor?.wage = Double(number)
    case 11: if let sailor { ship?.crew.insert(sailor) }
    case 12: if let sailor { ship?.crew.remove(sailor) }
    case 13: if number < 5, let ship { context.delete(ship) }
    case 14: if number < 3, let port { context.delete(port) }
    default: if number < 5, let sailor { context.delete(sailor) }
    }
  }

  private mutating func save() throws {
    let context = contexts[random.below(2)]
    context.mergePolicy = random.pick(policies) ?? .error
    do { try context.save() } catch is StoreError { context.rollback() }
    let reader = ManagedObjectContext(parent: container.coordinator)
    try expectNone(try reader.derivedMistakes())
  }

  mutating func finish() throws { try save() }
}

@Suite struct `Every derived attribute in the store` {
  @Test func `is its definition after random saves of two contexts under every policy`() async {
    let failure = await ModelTest(
      "derived", sequences: 8, steps: 300, make: RandomHarbour.init
    ).firstFailure()
    #expect(failure == nil)
  }
}

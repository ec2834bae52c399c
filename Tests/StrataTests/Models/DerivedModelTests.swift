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
private struct RandomHarbour {
  let container: PersistentContainer
  let contexts: [ManagedObjectContext]
  var random: SeededGenerator
  var count = 0

  init(seed: UInt64) throws {
    container = try harbour()
    let coordinator = container.coordinator
    contexts = (0..<2).map { _ in ManagedObjectContext(parent: coordinator) }
    random = SeededGenerator(seed: seed)
  }

  mutating func step() throws {
    let context = contexts[Int.random(in: 0..<2, using: &random)]
    for _ in 0..<Int.random(in: 1...3, using: &random) { try edit(context) }
    if Bool.random(using: &random) { return }
    context.mergePolicy = policies.randomElement(using: &random) ?? .error
    do { try context.save() } catch is StoreError { context.rollback() }
  }

  private mutating func edit(_ context: ManagedObjectContext) throws {
    count += 1
    let number = Int.random(in: 0..<9, using: &random)
    let port = try pick(context.fetch(Port.all))
    let ship = try pick(context.fetch(Ship.all))
    let sailor = try pick(context.fetch(Sailor.all))
    switch Int.random(in: 0..<16, using: &random) {
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

  private mutating func pick<T>(_ objects: [T]) -> T? {
    objects.isEmpty ? nil : objects[Int.random(in: 0..<objects.count, using: &random)]
  }
}

@Suite struct `Every derived attribute in the store` {
  @Test(arguments: 0..<8)
  func `is its definition after random saves of two contexts under every policy`(
    _ run: Int
  ) throws {
    let seed = SeededGenerator.firstSeed()
    var world = try RandomHarbour(seed: seed)
    for step in 0..<120 {
      try world.step()
      let reader = ManagedObjectContext(parent: world.container.coordinator)
      let mistakes = try reader.derivedMistakes()
      #expect(mistakes == [], "seed \(seed), step \(step)")
      guard mistakes.isEmpty else { return }
    }
  }
}

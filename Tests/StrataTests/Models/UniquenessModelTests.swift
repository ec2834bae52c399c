// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The expected nations and boroughs of the store, in dictionaries, with the constraint conflicts
/// of each save resolved by hand.
private struct NaiveFederation {
  struct Row: Equatable {
    var iso: String?
    var name: String?
    var population = 0
    /// The properties that the save under way sets to another value than the default.
    var set: Set<String> = []
  }

  /// By serial, which ascends with each insertion.
  var nations: [UInt64: Row] = [:]
  /// Boroughs' nations.
  var boroughs: [UInt64: UInt64?] = [:]

  /// Makes `next` the expected content of the store after a save, or says that it is refused.
  ///
  /// - Returns: whether the save succeeds.
  mutating func save(_ wanted: NaiveFederation, _ policy: MergePolicy) -> Bool {
    var next = wanted
    while let (winner, others) = next.collision(over: self) {
      if policy == .error { return false }
      for other in others {
        if nations[other] == nil {
          next.merge(other, into: winner, policy)
        } else if policy == .rollback {
          next.nations[other] = nations[other]
        } else if policy == .mergeByPropertyStoreTrump {
          next.nations[other]?.iso = nations[other]?.iso
        } else {
          return false
        }
      }
    }
    for key in next.nations.keys { next.nations[key]?.set = [] }
    self = next
    return true
  }

  /// Nations with one code: the one that keeps it, and the others by serial. Stored ones that give
  /// way come first, because each gets the code back that it had.
  private func collision(over store: NaiveFederation) -> (UInt64, [UInt64])? {
    let byCode = Dictionary(grouping: nations.keys.filter { nations[$0]?.iso != nil }) {
      nations[$0]?.iso
    }
    let found = byCode.filter { $1.count > 1 }.map { iso, keys in
      let sorted = keys.sorted()
      let winner = sorted.first { store.nations[$0]?.iso == iso } ?? sorted[0]
      return (winner, sorted.filter { $0 != winner })
    }.sorted { $0.0 < $1.0 }
    for (winner, others) in found {
      let stored = others.filter { store.nations[$0] != nil }
      if !stored.isEmpty { return (winner, stored) }
    }
    return found.first
  }

  private mutating func merge(_ loser: UInt64, into winner: UInt64, _ policy: MergePolicy) {
    guard let row = nations.removeValue(forKey: loser) else { return }
    let isWhole = policy == .overwrite
    if isWhole || policy == .mergeByPropertyObjectTrump {
      if isWhole || row.set.contains("name") { nations[winner]?.name = row.name }
      if isWhole || row.set.contains("population") {
        nations[winner]?.population = row.population
      }
    }
    for (borough, nation) in boroughs where nation == loser { boroughs[borough] = .some(winner) }
  }
}

/// Two roots, each with a child, make the same saves to one store as the naive federation.
private struct UniquenessWorld: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let roots: [ContextQueue]
  private var naive = NaiveFederation()

  private static let policies: [MergePolicy] = [
    .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]
  private static let codes = ["A", "B", "C", "D", "e\u{301}", "é"]

  init(_ random: ModelRandom) throws {
    self.random = random
    container = try republic()
    roots = [container.root, ContextQueue(parent: container.coordinator)]
  }

  static var operations: [ModelOperation<UniquenessWorld>] {
    [
      ModelOperation("save", weight: 1) { try $0.save(isNested: false) },
      ModelOperation("save to a parent that saves", weight: 1) { try $0.save(isNested: true) },
    ]
  }

  private mutating func save(isNested: Bool) throws {
    let policy = random.pick(Self.policies) ?? .error
    let root = roots[random.below(2)]
    let (seed, naive) = (random.next(), naive)
    let (wanted, isSaved) = try root.performAndWait { context in
      context.mergePolicy = policy
      var random = SeededGenerator(seed: seed)
      var wanted = naive
      let editor = isNested ? ManagedObjectContext(parent: context) : context
      for _ in 0...random.below(6) { try Self.edit(editor, &wanted, &random) }
      if isNested { try editor.save() }
      do {
        try context.save()
        return (wanted, true)
      } catch StoreError.uniquenessViolations {
        context.rollback()
        return (wanted, false)
      }
    }
    let shouldSave = self.naive.save(wanted, policy)
    random.count(shouldSave ? "saved" : "refused")
    try expectSame(isSaved, shouldSave, "whether a save with \(policy) goes through")
    for queue in roots + [ContextQueue(parent: container.coordinator)] {
      let found = try queue.performAndWait { try Self.read($0) }
      try expectSame(found.nations, self.naive.nations, "nations after \(policy)")
      try expectSame(found.boroughs, self.naive.boroughs, "boroughs after \(policy)")
    }
  }

  private static func edit(
    _ context: ManagedObjectContext, _ wanted: inout NaiveFederation,
    _ random: inout SeededGenerator
  ) throws {
    let all = try context.fetch(Nation.all)
    let iso = random.chance(2) ? random.pick(codes) : nil
    switch random.below(6) {
    case 0, 1:
      let nation = Nation(context: context)
      var row = NaiveFederation.Row()
      nation.iso = iso
      row.iso = iso
      if random.chance(2) {
        nation.name = "n\(nation.objectID.serial)"
        row.name = nation.name
        row.set.insert("name")
      }
      if random.chance(2) {
        nation.population = 1 + random.below(9)
        row.population = nation.population
        row.set.insert("population")
      }
      wanted.nations[nation.objectID.serial] = row
    case 2:
      let borough = Borough(context: context)
      borough.nation = random.pick(all)
      wanted.boroughs[borough.objectID.serial] = .some(borough.nation?.objectID.serial)
    case 3, 4:
      guard let nation = random.pick(all) else { return }
      nation.iso = iso
      wanted.nations[nation.objectID.serial]?.iso = iso
      if random.chance(2) {
        nation.population += 1
        wanted.nations[nation.objectID.serial]?.population += 1
        wanted.nations[nation.objectID.serial]?.set.insert("population")
      }
    default:
      guard let nation = random.pick(all) else { return }
      for borough in nation.boroughs { wanted.boroughs[borough.objectID.serial] = nil }
      wanted.nations[nation.objectID.serial] = nil
      context.delete(nation)
    }
  }

  private static func read(_ context: ManagedObjectContext) throws -> NaiveFederation {
    var found = NaiveFederation()
    for nation in try context.fetch(Nation.all) {
      found.nations[nation.objectID.serial] = NaiveFederation.Row(
        iso: nation.iso, name: nation.name, population: nation.population)
    }
    for borough in try context.fetch(Borough.all) {
      found.boroughs[borough.objectID.serial] = .some(borough.nation?.objectID.serial)
    }
    return found
  }
}

extension ObjectID {
  /// The number of the object in its store.
  fileprivate var serial: UInt64 { UInt64(uriRepresentation.lastPathComponent) ?? 0 }
}

@Suite struct `Saves with constraint conflicts compared with a naive federation` {
  @Test func `leave the same under every merge policy`() async {
    let failure = await ModelTest(
      "uniqueness", sequences: 20, steps: 60, meets: ["refused": 1], make: UniquenessWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// What the store should have of nations and boroughs, in dictionaries, with the constraint conflicts of
/// each save resolved by hand.
private struct NaiveFederation {
  struct Row: Equatable {
    var iso: String?
    var name: String?
    var population = 0
    /// What the save under way sets to something else than its default.
    var set: Set<String> = []
  }

  /// By serial, which ascends with each insertion.
  var nations: [UInt64: Row] = [:]
  /// Boroughs' nations.
  var boroughs: [UInt64: UInt64?] = [:]

  /// Has `next` be what the store has after a save, or says that it is refused.
  ///
  /// - Returns: whether the save goes through.
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

  /// Nations with one code: the one that keeps it, and the others by serial.
  private func collision(over store: NaiveFederation) -> (UInt64, [UInt64])? {
    let byCode = Dictionary(grouping: nations.keys.filter { nations[$0]?.iso != nil }) {
      nations[$0]?.iso
    }
    for (iso, keys) in byCode where keys.count > 1 {
      let sorted = keys.sorted()
      let winner =
        sorted.first { store.nations[$0]?.iso == iso } ?? sorted[0]
      return (winner, sorted.filter { $0 != winner })
    }
    return nil
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

/// Two roots, each with a child, save to one store what the naive federation saves too.
private struct UniquenessWorld {
  let container: PersistentContainer
  let roots: [ContextQueue]
  var random: SeededGenerator
  var naive = NaiveFederation()
  private(set) var refusedCount = 0

  private static let policies: [MergePolicy] = [
    .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]
  private static let codes = ["A", "B", "C", "D", "e\u{301}", "é"]

  init(seed: UInt64) throws {
    container = try federation()
    roots = [container.root, ContextQueue(parent: container.coordinator)]
    random = SeededGenerator(seed: seed)
  }

  mutating func step() throws -> String? {
    let policy = Self.policies.randomElement(using: &random) ?? .error
    let root = roots.randomElement(using: &random) ?? container.root
    let isNested = Bool.random(using: &random)
    let (seed, naive) = (random.next(), naive)
    let (wanted, isSaved) = try root.performAndWait { context in
      context.mergePolicy = policy
      var random = SeededGenerator(seed: seed)
      var wanted = naive
      let editor = isNested ? ManagedObjectContext(parent: context) : context
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        try Self.edit(editor, &wanted, &random)
      }
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
    if !shouldSave { refusedCount += 1 }
    if isSaved != shouldSave { return "a save with \(policy) went through: \(isSaved)" }
    for queue in roots + [ContextQueue(parent: container.coordinator)] {
      let found = try queue.performAndWait { try Self.read($0) }
      if found.nations != self.naive.nations || found.boroughs != self.naive.boroughs {
        return "after \(policy): found \(found), expected \(self.naive)"
      }
    }
    return nil
  }

  private static func edit(
    _ context: ManagedObjectContext, _ wanted: inout NaiveFederation,
    _ random: inout SeededGenerator
  ) throws {
    let all = try context.fetch(Nation.all)
    let iso = Bool.random(using: &random) ? codes.randomElement(using: &random) : nil
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      let nation = Nation(in: context)
      var row = NaiveFederation.Row()
      nation.iso = iso
      row.iso = iso
      if Bool.random(using: &random) {
        nation.name = "n\(nation.objectID.serial)"
        row.name = nation.name
        row.set.insert("name")
      }
      if Bool.random(using: &random) {
        nation.population = Int.random(in: 1...9, using: &random)
        row.population = nation.population
        row.set.insert("population")
      }
      wanted.nations[nation.objectID.serial] = row
    case 2:
      let borough = Borough(in: context)
      borough.nation = all.randomElement(using: &random)
      wanted.boroughs[borough.objectID.serial] = .some(borough.nation?.objectID.serial)
    case 3, 4:
      guard let nation = all.randomElement(using: &random) else { return }
      nation.iso = iso
      wanted.nations[nation.objectID.serial]?.iso = iso
      if Bool.random(using: &random) {
        nation.population += 1
        wanted.nations[nation.objectID.serial]?.population += 1
        wanted.nations[nation.objectID.serial]?.set.insert("population")
      }
    default:
      guard let nation = all.randomElement(using: &random) else { return }
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
  @Test func `leave the same under every merge policy`() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["STRATA_MODEL_SEQUENCES"].flatMap(UInt64.init) ?? 20
    let first = SeededGenerator.firstSeed()
    print("\(count) sequences from seed \(first)")
    var refusedCount = 0
    for seed in first..<(first + count) {
      var world = try UniquenessWorld(seed: seed)
      for step in 0..<60 {
        if let complaint = try world.step() {
          Issue.record("seed \(seed), step \(step): \(complaint)")
          return
        }
      }
      refusedCount += world.refusedCount
    }
    #expect(refusedCount > 0)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

/// An actor that sets the populations of cities in its context.
private actor Registry: ContextActor {
  let executor: ContextExecutor

  init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }

  func set(_ id: ObjectID, to number: Int) throws { try context.set(id, to: number) }

  /// Sets a city in each of two sections, and calls `body` between them.
  func set(
    _ id: ObjectID, to number: Int, then next: ObjectID, to nextNumber: Int,
    between body: @Sendable () async throws -> Void
  ) async throws {
    try context.set(id, to: number)
    try await body()
    try context.set(next, to: nextNumber)
  }

  func save() throws { try context.save() }

  func numbers() throws -> [Int] { try context.numbers() }
}

extension ManagedObjectContext {
  fileprivate func set(_ id: ObjectID, to number: Int) throws {
    try existingObject(City.self, with: id).population = number
  }

  /// The populations in the order of the names, from the state now.
  fileprivate func numbers() throws -> [Int] {
    try fetch(City.all.sorted(by: \.name).select(\.population))
  }
}

/// A family of contexts, two of them actors', in which one task sets numbers, saves and reads; and
/// the numbers that each context must show, as the changes of each level.
private struct Family {
  /// The contexts; each is below the one that `parent` names.
  enum Place: Int, CaseIterable, Sendable {
    case upper, queue, lower, below, confined

    var parent: Place? {
      switch self {
      case .upper: nil
      case .queue, .lower, .confined: .upper
      case .below: .lower
      }
    }
  }

  private static let cityCount = 3

  private var random: SeededGenerator
  private let ids: [ObjectID]
  private let upper: Registry
  private let lower: Registry
  private let queue: ContextQueue
  private let below: ContextQueue
  private let confined: ManagedObjectContext
  /// The unsaved changes of each context, by city.
  private var changes = Array(repeating: [Int: Int](), count: Place.allCases.count)
  private var lastNumber = 0
  private(set) var steps: [String] = []

  init(seed: UInt64, in container: PersistentContainer) async throws {
    random = SeededGenerator(seed: seed)
    let root = container.root
    ids = try await root.perform { context in
      (0..<Self.cityCount).map { context.city("\($0)").objectID }
    }
    upper = Registry(parent: root)
    lower = Registry(parent: upper.executor)
    queue = ContextQueue(parent: upper.executor)
    below = ContextQueue(parent: lower.executor)
    confined = ManagedObjectContext(parent: upper.executor)
  }

  private func expected(in place: Place) -> [Int] {
    (0..<Self.cityCount).map { city in
      var next: Place? = place
      while let place = next {
        if let number = changes[place.rawValue][city] { return number }
        next = place.parent
      }
      return 0
    }
  }

  private func shown(in place: Place) async throws -> [Int] {
    switch place {
    case .upper: try await upper.numbers()
    case .lower: try await lower.numbers()
    case .queue: try await queue.perform { try $0.numbers() }
    case .below: try below.performAndWait { try $0.numbers() }
    case .confined: try confined.numbers()
    }
  }

  /// Does a random step and reads at once.
  ///
  /// - Returns: a difference from the promise; nil if there is none.
  mutating func step() async throws -> String? {
    let place = Place.allCases.randomElement(using: &random) ?? .upper
    let city = Int.random(in: 0..<Self.cityCount, using: &random)
    lastNumber += 1
    switch (Int.random(in: 0..<10, using: &random), place) {
    case (0..<2, .queue), (0..<2, .lower), (0..<2, .below), (0..<2, .confined):
      steps.append("save \(place)")
      try await save(place)
    case (2..<5, .upper), (2..<5, .lower):
      steps.append("set \(place) \(city), read within, set again")
      if let difference = try await setTwice(in: place, city) { return difference }
    case (5, .upper), (5, .lower):
      steps.append("set \(place) \(city) in another task")
      try await setElsewhere(in: place, city)
    default:
      steps.append("set \(place) \(city)")
      try await set(place, city)
      changes[place.rawValue][city] = lastNumber
    }
    let reader = Place.allCases.randomElement(using: &random) ?? .upper
    let (shown, expected) = (try await shown(in: reader), expected(in: reader))
    return shown == expected ? nil : "\(reader) shows \(shown), expected is \(expected)"
  }

  private func set(_ place: Place, _ city: Int) async throws {
    let (id, number) = (ids[city], lastNumber)
    switch place {
    case .upper: try await upper.set(id, to: number)
    case .lower: try await lower.set(id, to: number)
    case .queue: try await queue.perform { try $0.set(id, to: number) }
    case .below: try below.performAndWait { try $0.set(id, to: number) }
    case .confined:
      try confined.set(id, to: number)
      confined.processPendingChanges()
    }
  }

  private mutating func save(_ place: Place) async throws {
    switch place {
    case .upper: return
    case .lower: try await lower.save()
    case .queue: try await queue.perform { try $0.save() }
    case .below: try await below.save()
    case .confined: try confined.save()
    }
    guard let parent = place.parent else { return }
    changes[parent.rawValue].merge(changes[place.rawValue]) { $1 }
    changes[place.rawValue] = [:]
  }

  /// Reads from inside of the actor's code, between two sections.
  private mutating func setTwice(in place: Place, _ city: Int) async throws -> String? {
    let actor = place == .upper ? upper : lower
    let (first, second) = (ids[city], ids[(city + 1) % Self.cityCount])
    let number = lastNumber
    changes[place.rawValue][city] = number
    let child = place == .upper ? queue : below
    let expected = expected(in: place == .upper ? .queue : .below)
    let shown = Shown()
    try await actor.set(first, to: number, then: second, to: number + 1) {
      await shown.set(try await child.perform { try $0.numbers() })
    }
    lastNumber += 1
    changes[place.rawValue][(city + 1) % Self.cityCount] = lastNumber
    let numbers = await shown.numbers
    return numbers == expected ? nil : "within, a child shows \(numbers), expected is \(expected)"
  }

  private mutating func setElsewhere(in place: Place, _ city: Int) async throws {
    let actor = place == .upper ? upper : lower
    let (id, number) = (ids[city], lastNumber)
    try await Task { try await actor.set(id, to: number) }.value
    await actor.executor.waitUntilPublished()
    changes[place.rawValue][city] = number
  }

  private actor Shown {
    var numbers: [Int] = []
    func set(_ numbers: [Int]) { self.numbers = numbers }
  }
}

@Suite struct `Contexts of actors and their children` {
  @Test func `show each call's work to the task that made it, as a table of numbers does`()
    async throws
  {
    let first = SeededGenerator.firstSeed()
    let sequenceCount =
      ProcessInfo.processInfo.environment["STRATA_MODEL_SEQUENCES"].flatMap(UInt64.init) ?? 40
    for seed in first..<first + sequenceCount {
      if let failure = try await failure(seed: seed, in: geography()) {
        Issue.record("\(failure)")
        return
      }
    }
  }

  #if DEBUG
    @Test func `differ from it where a reader does not wait for its task's section`() async throws {
      let first = SeededGenerator.firstSeed()
      for seed in first..<first + 100 {
        let container = try geography()
        let schema = container.coordinator.schema
        PlantedFault.plant(.sectionUnawaited, in: schema)
        // Others run where a section has ended.
        PausePoint.observe(schema) { if $0 == .sectionEnded { for _ in 0..<20 { sched_yield() } } }
        defer {
          PlantedFault.plant(nil, in: schema)
          PausePoint.observe(schema, nil)
        }
        if try await failure(seed: seed, in: container) != nil { return }
      }
      Issue.record("no sequence differs from seed \(first) on")
    }
  #endif

  /// The first difference from the promise in a sequence of steps; nil if there is none.
  private func failure(seed: UInt64, in container: PersistentContainer) async throws -> String? {
    var family = try await Family(seed: seed, in: container)
    for _ in 0..<50 {
      guard let difference = try await family.step() else { continue }
      return """
        seed \(seed), step \(family.steps.count): \(difference)
        \(family.steps.suffix(5).joined(separator: "\n"))
        """
    }
    return nil
  }
}

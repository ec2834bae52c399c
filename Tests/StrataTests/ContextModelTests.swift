// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Synchronization
import Testing

#if DEBUG

  @Suite struct `A tree of contexts compared with a naive one` {
    @Test func `shows the same after each of many random operations`() async throws {
      let environment = ProcessInfo.processInfo.environment
      let count = environment["STRATA_MODEL_SEQUENCES"].flatMap(Int.init) ?? 12
      let first =
        environment["STRATA_MODEL_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max / 2)
      for seed in first..<(first + UInt64(count)) {
        var world = try World(seed: seed)
        if let difference = try await world.run(operationCount: 120) {
          Issue.record("seed \(seed)\n\(difference)")
          return
        }
      }
    }
  }

  /// The contexts and the oracle, side by side.
  private struct World {
    private let container: PersistentContainer
    private let contexts: [ContextQueue]
    private let parents: [Int?] = [nil, 0, 0, 1, 3, nil]
    private var oracle: ContextOracle
    private var random: SeededGenerator
    private var ids: [ObjectID] = []
    private var numbers: [ObjectID: Int] = [:]
    private var log: [String] = []
    /// A save of the root that the writer holds back, while the others go on.
    private var flight: (save: Task<Bool, any Error>, gate: Gate)?

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      container = try geography()
      let root = container.root
      let child = ContextQueue(parent: root)
      let grandchild = ContextQueue(parent: child)
      contexts = [
        root, child, ContextQueue(parent: root), grandchild, ContextQueue(parent: grandchild),
        ContextQueue(parent: container.coordinator),
      ]
      oracle = ContextOracle(parents: parents)
      // Half of the contexts keep what they have read, and must notice what changes.
      for context in contexts.indices.filter({ !$0.isMultiple(of: 2) }).map({ contexts[$0] }) {
        try context.performAndWait { $0.cacheByteBudget = 0 }
      }
      // The first insert of all waits for the writer, for a block of serials; no later one does.
      try root.performAndWait { context in
        _ = City(in: context)
        context.rollback()
      }
    }

    /// - Returns: what differs and how it came about; nil if nothing does.
    mutating func run(operationCount: Int) async throws -> String? {
      defer {
        // A writer held back for ever would keep the store from closing.
        PausePoint.observe(container.coordinator.schema, nil)
        flight?.gate.opening.signal()
      }
      for _ in 0..<operationCount {
        try await step()
        for context in contexts.indices {
          let shown = try lines(shownBy: contexts[context])
          let expected = expectedLines(context)
          if shown != expected {
            let surplus = shown.filter { !expected.contains($0) }
            let missing = expected.filter { !shown.contains($0) }
            return (log + ["context \(context)", "shown:"] + surplus + ["expected:"] + missing)
              .joined(separator: "\n")
          }
        }
      }
      try await land()
      return nil
    }

    // MARK: - A save under way

    private final class Gate: Sendable {
      let isReached = Atomic<Bool>(false)
      let opening = DispatchSemaphore(value: 0)
    }

    /// Begins a save of the root and holds the writer back before its commit.
    private mutating func takeOff() async throws {
      guard flight == nil else { return }
      let gate = Gate()
      let schema = container.coordinator.schema
      PausePoint.observe(schema) { point in
        guard point == .tagged else { return }
        gate.isReached.store(true, ordering: .sequentiallyConsistent)
        gate.opening.wait()
      }
      let root = container.root
      let save = Task {
        defer { gate.isReached.store(true, ordering: .sequentiallyConsistent) }
        do { try await root.save() } catch is StoreError { return false }
        return true
      }
      while !gate.isReached.load(ordering: .sequentiallyConsistent) { await Task.yield() }
      oracle.beginSave(0)
      flight = (save, gate)
      log.append("0: save takes off")
    }

    private mutating func land() async throws {
      guard let (save, gate) = flight else { return }
      flight = nil
      PausePoint.observe(container.coordinator.schema, nil)
      gate.opening.signal()
      let isTaken = try await save.value
      let isExpected = oracle.finishSave(0)
      log.append("0: save lands, taken: \(isTaken), expected: \(isExpected)")
      guard isTaken == isExpected else { throw Surprise(description: log.joined(separator: "\n")) }
    }

    /// Whether the operation would wait for the save under way.
    private func waitsForFlight(_ context: Int) -> Bool { flight != nil && parents[context] == nil }

    // MARK: - One operation

    private mutating func step() async throws {
      let context = Int.random(in: contexts.indices, using: &random)
      if flight != nil, Int.random(in: 0..<6, using: &random) == 0 { return try await land() }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12: try insert(.city, in: context)
      case 12..<20: try insert(.country, in: context)
      case 20..<24: try insert(.language, in: context)
      case 24..<46: try set(in: context)
      case 46..<58: try tie(in: context)
      case 58..<66: try delete(in: context)
      case 66..<82: try save(context)
      case 82..<88: try await takeOff()
      case 88..<92: try saveWithinParentsTurn(context)
      case 92..<96: try rollback(context, resets: false)
      default: try rollback(context, resets: true)
      }
    }

    private mutating func insert(_ kind: ContextOracle.Kind, in context: Int) throws {
      let number = ids.count
      let name = "\(Int.random(in: 0..<6, using: &random))"
      let population = Int.random(in: 0..<6, using: &random)
      let id = try contexts[context].performAndWait { context in
        switch kind {
        case .city: return context.city(name, population: population).objectID
        case .country:
          let country = context.country("\(number)", name: name)
          country.population = population
          return country.objectID
        case .language:
          let language = Language(in: context)
          language.code = name
          return language.objectID
        }
      }
      ids.append(id)
      numbers[id] = number
      let row = ContextOracle.Row(
        kind: kind, name: name, population: kind == .language ? 0 : population)
      oracle.insert(number, row, in: context)
      log.append("\(context): insert \(kind) \(number) \(name) \(population)")
    }

    private mutating func pick(_ kind: ContextOracle.Kind, in context: Int) -> Int? {
      oracle.rows(in: context).filter { $0.value.kind == kind }.keys.sorted()
        .randomElement(using: &random)
    }

    private mutating func set(in context: Int) throws {
      let name = "\(Int.random(in: 0..<6, using: &random))"
      let population = Int.random(in: 0..<6, using: &random)
      let choice = Int.random(in: 0..<5, using: &random)
      let isCity = choice > 1
      guard let object = pick(isCity ? .city : .country, in: context) else { return }
      let country =
        Int.random(in: 0..<4, using: &random) > 0 ? pick(.country, in: context) : nil
      let (id, countryID) = (ids[object], country.map { ids[$0] })
      try contexts[context].performAndWait { context in
        switch choice {
        case 0: try context.existingObject(Country.self, with: id).name = name
        case 1: try context.existingObject(Country.self, with: id).population = population
        case 2: try context.existingObject(City.self, with: id).name = name
        case 3: try context.existingObject(City.self, with: id).population = population
        default:
          let target = try countryID.map { try context.existingObject(Country.self, with: $0) }
          try context.existingObject(City.self, with: id).country = target
        }
      }
      let property: ContextOracle.Property =
        choice == 4 ? .country : choice % 2 == 0 ? .name : .population
      let row = ContextOracle.Row(kind: .city, name: name, population: population, country: country)
      oracle.set(property, of: object, to: row, in: context)
      log.append("\(context): set \(property) of \(object) to \(row)")
    }

    private mutating func tie(in context: Int) throws {
      let isSpoken = Bool.random(using: &random)
      let isThere = Int.random(in: 0..<3, using: &random) > 0
      guard let first = pick(.country, in: context),
        let second = pick(isSpoken ? .language : .country, in: context), first != second
      else { return }
      let tie: ContextOracle.Tie = isSpoken ? .spoken(first, second) : .between(first, second)
      // Taking away what is not there would be no test of anything.
      guard isThere || oracle.ties(in: context).contains(tie) else { return }
      let (firstID, secondID) = (ids[first], ids[second])
      try contexts[context].performAndWait { context in
        let country = try context.existingObject(Country.self, with: firstID)
        if isSpoken {
          let language = try context.existingObject(Language.self, with: secondID)
          if isThere {
            country.languages.insert(language)
          } else {
            language.countries.remove(country)
          }
        } else {
          let other = try context.existingObject(Country.self, with: secondID)
          if isThere { country.neighbours.insert(other) } else { country.neighbours.remove(other) }
        }
      }
      oracle.set(tie, isThere, in: context)
      log.append("\(context): \(tie) \(isThere)")
    }

    private mutating func delete(in context: Int) throws {
      let kinds: [ContextOracle.Kind] = [.city, .country, .language]
      guard let object = pick(kinds.randomElement(using: &random)!, in: context) else { return }
      let id = ids[object]
      try contexts[context].performAndWait { context in
        context.delete(try context.existingObject(ManagedObject.self, with: id))
      }
      oracle.delete(object, in: context)
      log.append("\(context): delete \(object)")
    }

    private mutating func save(_ context: Int) throws {
      if waitsForFlight(context) { return }
      guard parents[context] == nil else {
        try contexts[context].performAndWait { try $0.save() }
        oracle.saveToParent(context)
        log.append("\(context): save to parent")
        return
      }
      var isTaken = true
      do { try contexts[context].performAndWait { try $0.save() } } catch is StoreError {
        isTaken = false
      }
      let isExpected = oracle.saveToStore(context)
      log.append("\(context): save to store, taken: \(isTaken), expected: \(isExpected)")
      guard isTaken == isExpected else { throw Surprise(description: log.joined(separator: "\n")) }
      // Else it would be refused for ever.
      if !isTaken, Bool.random(using: &random) { try rollback(context, resets: false) }
    }

    private struct Surprise: Error, CustomStringConvertible { let description: String }

    private mutating func saveWithinParentsTurn(_ context: Int) throws {
      guard let parent = parents[context], let object = pick(.city, in: parent) else { return }
      let (id, child) = (ids[object], contexts[context])
      let name = "\(Int.random(in: 0..<6, using: &random))"
      try contexts[parent].performAndWait { context in
        try context.existingObject(City.self, with: id).name = name
        try child.performAndWait { try $0.save() }
      }
      oracle.set(
        .name, of: object, to: ContextOracle.Row(kind: .city, name: name), in: parent)
      oracle.saveToParent(context)
      log.append("\(parent): set name of \(object) to \(name), and \(context) saves")
    }

    private mutating func rollback(_ context: Int, resets: Bool) throws {
      if waitsForFlight(context) { return }
      try contexts[context].performAndWait { context in
        if resets { context.reset() } else { context.rollback() }
      }
      oracle.discard(context)
      log.append("\(context): \(resets ? "reset" : "rollback")")
    }

    // MARK: - Comparing

    private func lines(shownBy context: ContextQueue) throws -> [String] {
      let numbers = numbers
      let isSaving = flight != nil && context === contexts[0]
      return try context.performAndWait { context in
        // Clean objects that nobody holds are let go, so that what is read is the view.
        _ = context.registeredObjects
        func list(_ ids: [ObjectID]) -> String {
          "\(ids.map { numbers[$0] ?? -1 }.sorted())"
        }
        // While its save is under way, a root may have changes left only to take that back.
        var lines = isSaving ? [] : ["has changes: \(context.hasChanges)"]
        for city in try context.fetch(City.all) {
          let country = city.country.map { numbers[$0.objectID] ?? -1 }
          lines.append(
            "city \(numbers[city.objectID] ?? -1) \(city.name) \(city.population) "
              + "\(country.map(String.init) ?? "nil")")
        }
        for country in try context.fetch(Country.all) {
          lines.append(
            "country \(numbers[country.objectID] ?? -1) \(country.name) \(country.population) cities "
              + list(country.cities.objectIDs) + " languages " + list(country.languages.objectIDs)
              + " neighbours " + list(country.neighbours.objectIDs))
        }
        for language in try context.fetch(Language.all) {
          lines.append(
            "language \(numbers[language.objectID] ?? -1) \(language.code) countries "
              + list(language.countries.objectIDs))
        }
        let counts = [
          try context.count(for: City.all), try context.count(for: Country.all),
          try context.count(for: City.where { $0.population > 2 }),
          try context.count(for: Country.where { $0.population > 2 }),
        ]
        lines.append("counts \(counts)")
        lines.append("by name " + list(try context.fetchIDs(City.where { $0.name == "3" })))
        return lines.sorted()
      }
    }

    private func expectedLines(_ context: Int) -> [String] {
      let rows = oracle.rows(in: context)
      let ties = oracle.ties(in: context)
      let isSaving = flight != nil && context == 0
      var lines = isSaving ? [] : ["has changes: \(oracle.hasChanges(context))"]
      for (number, row) in rows {
        switch row.kind {
        case .city:
          lines.append(
            "city \(number) \(row.name) \(row.population) \(row.country.map(String.init) ?? "nil")")
        case .country:
          let cities = rows.filter { $0.value.country == number }.keys.sorted()
          var languages: [Int] = []
          var neighbours: [Int] = []
          for tie in ties where tie.ends.contains(number) {
            switch tie {
            case .spoken(_, let language): languages.append(language)
            case .neighbours(let a, let b): neighbours.append(a == number ? b : a)
            }
          }
          lines.append(
            "country \(number) \(row.name) \(row.population) cities \(cities) languages "
              + "\(languages.sorted()) neighbours \(neighbours.sorted())")
        case .language:
          let countries = ties.filter { $0.ends.contains(number) }.map { $0.ends[0] }.sorted()
          lines.append("language \(number) \(row.name) countries \(countries)")
        }
      }
      let cities = rows.filter { $0.value.kind == .city }
      let countries = rows.filter { $0.value.kind == .country }
      let counts = [
        cities.count, countries.count, cities.count { $0.value.population > 2 },
        countries.count { $0.value.population > 2 },
      ]
      lines.append("counts \(counts)")
      lines.append("by name \(cities.filter { $0.value.name == "3" }.keys.sorted())")
      return lines.sorted()
    }
  }
#endif

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

@Suite struct `Undo compared with whole copies of the graph` {
  @Test func `shows the same after each of many random operations`() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["STRATA_MODEL_SEQUENCES"].flatMap(Int.init) ?? 40
    let first = SeededGenerator.firstSeed()
    for seed in first..<(first + UInt64(count)) {
      if let difference = try World(seed: seed).run(operationCount: 60) {
        Issue.record("seed \(seed)\n\(difference)")
        return
      }
    }
  }

  #if DEBUG
    @Test func `differs where undo forgets the links`() throws {
      let differences = try (1...10).map { seed in
        try World(seed: seed, fault: .undoForgetsLinks).run(operationCount: 60)
      }
      #expect(differences.contains { $0 != nil })
    }
  #endif
}

/// What there is and what there was: a copy of everything for each group.
private struct Oracle {
  struct Graph: Equatable {
    var rows: [Int: ModelGraph.Row] = [:]
    var ties: Set<ModelGraph.Tie> = []

    mutating func delete(_ object: Int) {
      if rows.removeValue(forKey: object)?.kind == .country {
        rows = rows.filter { $0.value.country != object }
      }
      ties = ties.filter { !$0.ends.contains(object) }
    }
  }

  var graph = Graph()
  var saved = Graph()
  var undoGraphs: [Graph] = []
  var redoGraphs: [Graph] = []
  /// What the graph was when the group that is open began.
  var groupStart = Graph()

  mutating func endGroup() {
    guard graph != groupStart else { return }
    undoGraphs.append(groupStart)
    redoGraphs = []
    groupStart = graph
  }

  mutating func undo() {
    endGroup()
    guard let former = undoGraphs.popLast() else { return }
    redoGraphs.append(graph)
    graph = former
    groupStart = former
  }

  mutating func redo() {
    endGroup()
    guard let later = redoGraphs.popLast() else { return }
    undoGraphs.append(graph)
    graph = later
    groupStart = later
  }

  var canUndo: Bool { graph != groupStart || !undoGraphs.isEmpty }
  var canRedo: Bool { graph == groupStart && !redoGraphs.isEmpty }
}

/// A context with an undo manager, and the oracle, side by side.
private final class World {
  private struct Difference: Error { let text: String }
  private struct Refusal: Error {}

  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let child: ManagedObjectContext
  private var oracle = Oracle()
  /// What edits that are under way would bring back.
  private var savepoints: [Oracle] = []
  private var random: SeededGenerator
  private var ids: [ObjectID] = []
  private var numbers: [ObjectID: Int] = [:]
  /// The instances that somebody holds, if anybody does: an object that comes back is the same.
  private var held: [ObjectID: ManagedObject] = [:]
  private let holdsInstances: Bool
  private var log: [String] = []

  init(seed: UInt64, fault: PlantedFault? = nil) throws {
    random = SeededGenerator(seed: seed)
    container = try geography()
    #if DEBUG
      PlantedFault.plant(fault, in: container.coordinator.schema)
    #endif
    holdsInstances = Bool.random(using: &random)
    context = undoableContext(container)
    child = ManagedObjectContext(parent: context.layer)
    if Bool.random(using: &random) { context.cacheByteBudget = 0 }
  }

  deinit {
    #if DEBUG
      PlantedFault.plant(nil, in: container.coordinator.schema)
    #endif
  }

  /// - Returns: what differs and how it came about; nil if nothing does.
  func run(operationCount: Int) throws -> String? {
    do {
      for _ in 0..<operationCount {
        try step()
        if chance(3) { try endTurn() }
        if chance(2) { try compare() }
      }
      try endTurn()
      try compare()
      return nil
    } catch let difference as Difference {
      return (log + [difference.text]).joined(separator: "\n")
    }
  }

  private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  // MARK: - One operation

  private func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<46: try mutate(context)
    case 46..<60: undo()
    case 60..<70: redo()
    case 70..<78: try save()
    case 78..<84 where savepoints.isEmpty: try push()
    case 84..<97: try edit()
    default: forget()
    }
  }

  private func endTurn() throws {
    context.processPendingChanges()
    // In an edit no turn ends.
    guard savepoints.isEmpty else { return }
    oracle.endGroup()
    log.append("turn ends")
  }

  private func undo() {
    log.append("undo")
    context.undo()
    oracle.undo()
  }

  private func redo() {
    log.append("redo")
    context.redo()
    oracle.redo()
  }

  private func save() throws {
    log.append("save")
    try context.save()
    oracle.endGroup()
    oracle.saved = oracle.graph
    for index in savepoints.indices { savepoints[index] = oracle }
    let stored = try lines(ManagedObjectContext(parent: container.coordinator))
    try check(stored, against: expectedLines(oracle.saved), "stored")
  }

  private func forget() {
    guard chance(3) else { return }
    log.append("rollback or reset")
    if Bool.random(using: &random) { context.rollback() } else { context.reset() }
    oracle.graph = oracle.saved
    oracle.groupStart = oracle.graph
    oracle.undoGraphs = []
    oracle.redoGraphs = []
    held = [:]
    for index in savepoints.indices { savepoints[index] = oracle }
  }

  /// A child's save: a group of its own.
  private func push() throws {
    try endTurn()
    log.append("in the child:")
    child.reset()
    try mutate(child)
    try child.save()
    context.processPendingChanges()
    oracle.endGroup()
  }

  /// An edit, which may throw.
  private func edit() throws {
    let throwsAtEnd = Bool.random(using: &random)
    guard savepoints.count < 3 else { return }
    log.append("edit begins")
    savepoints.append(oracle)
    do {
      try context.edit {
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          try step()
          if chance(3) { try compare() }
        }
        if throwsAtEnd { throw Refusal() }
      }
      log.append("edit ends")
      savepoints.removeLast()
    } catch is Refusal {
      log.append("edit throws")
      oracle = savepoints.removeLast()
    }
  }

  // MARK: - Edits

  private func pick(_ kind: ModelGraph.Kind) -> Int? {
    oracle.graph.rows.filter { $0.value.kind == kind }.keys.sorted().randomElement(using: &random)
  }

  private func object<T: ManagedObject>(
    _ number: Int, in context: ManagedObjectContext, as _: T.Type = T.self
  ) throws -> T {
    try context.existingObject(T.self, with: ids[number])
  }

  private func mutate(_ context: ManagedObjectContext) throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<3: insert(.city, in: context)
    case 3..<5: insert(.country, in: context)
    case 5..<6:
      insert([.language, .government, .ferry].randomElement(using: &random)!, in: context)
    case 6..<11: try set(in: context)
    case 11..<17: try tie(in: context)
    default: try delete(in: context)
    }
  }

  private func insert(_ kind: ModelGraph.Kind, in context: ManagedObjectContext) {
    let number = ids.count
    var row = ModelGraph.Row(kind: kind, name: "\(Int.random(in: 0..<6, using: &random))")
    let id: ObjectID
    switch kind {
    case .city: id = context.city(row.name).objectID
    case .country: id = context.country("\(number)", name: row.name).objectID
    case .language:
      let language = Language(in: context)
      language.code = row.name
      id = language.objectID
    case .government:
      let government = Government(in: context)
      government.form = row.name
      id = government.objectID
    case .ferry:
      let ferry = Ferry(in: context)
      ferry.name = row.name
      id = ferry.objectID
    }
    row.population = 0
    ids.append(id)
    numbers[id] = number
    oracle.graph.rows[number] = row
    log.append("insert \(number): \(row)")
  }

  private func set(in context: ManagedObjectContext) throws {
    let value = Int.random(in: 0..<6, using: &random)
    let choice = Int.random(in: 0..<6, using: &random)
    guard let number = pick(choice < 2 ? .country : .city) else { return }
    let country = chance(4) ? nil : pick(.country)
    switch choice {
    case 0: try object(number, in: context, as: Country.self).name = "\(value)"
    case 1: try object(number, in: context, as: Country.self).population = value
    case 2: try object(number, in: context, as: City.self).name = "\(value)"
    case 3: try object(number, in: context, as: City.self).population = value
    default:
      try object(number, in: context, as: City.self).country =
        country.map { try object($0, in: context) }
    }
    switch choice {
    case 0, 2: oracle.graph.rows[number]?.name = "\(value)"
    case 1, 3: oracle.graph.rows[number]?.population = value
    default: oracle.graph.rows[number]?.country = country
    }
    log.append("set \(number): \(oracle.graph.rows[number]!)")
  }

  private func tie(in context: ManagedObjectContext) throws {
    let isSpoken = Bool.random(using: &random)
    let isThere = !chance(3)
    guard let first = pick(.country), let second = pick(isSpoken ? .language : .country),
      first != second
    else { return }
    let tie: ModelGraph.Tie = isSpoken ? .spoken(first, second) : .between(first, second)
    let country: Country = try object(first, in: context)
    if isSpoken {
      let language: Language = try object(second, in: context)
      if isThere { country.languages.insert(language) } else { country.languages.remove(language) }
    } else {
      let other: Country = try object(second, in: context)
      if isThere { country.neighbours.insert(other) } else { country.neighbours.remove(other) }
    }
    if isThere { oracle.graph.ties.insert(tie) } else { oracle.graph.ties.remove(tie) }
    log.append("\(tie) \(isThere)")
  }

  private func delete(in context: ManagedObjectContext) throws {
    let kinds: [ModelGraph.Kind] = [.city, .country, .language]
    guard let number = pick(kinds.randomElement(using: &random)!) else { return }
    context.delete(try object(number, in: context, as: ManagedObject.self))
    oracle.graph.delete(number)
    log.append("delete \(number)")
  }

  // MARK: - Comparing

  private func compare() throws {
    let undoManager = context.undoManager!
    let hasToChange = oracle.graph != oracle.saved
    let shown =
      try lines(context) + [
        "can undo \(undoManager.canUndo), redo \(undoManager.canRedo)",
        "has changes \(context.hasChanges || !hasToChange)",
      ]
    let expected =
      expectedLines(oracle.graph) + [
        "can undo \(oracle.canUndo), redo \(oracle.canRedo)", "has changes true",
      ]
    try check(shown, against: expected, "shown")
    try checkInstances()
  }

  private func checkInstances() throws {
    if !holdsInstances { return }
    for number in oracle.graph.rows.keys {
      let id = ids[number]
      let object: ManagedObject = try object(number, in: context)
      if let former = held[id], former !== object {
        throw Difference(text: "\(number) has another instance")
      }
      held[id] = object
    }
  }

  private func check(_ shown: [String], against expected: [String], _ what: String) throws {
    if shown == expected { return }
    let surplus = shown.filter { !expected.contains($0) }
    let missing = expected.filter { !shown.contains($0) }
    throw Difference(
      text: (["\(what):"] + surplus + ["expected:"] + missing).joined(separator: "\n"))
  }

  private func lines(_ context: ManagedObjectContext) throws -> [String] {
    func list(_ ids: [ObjectID]) -> String { "\(ids.map { numbers[$0] ?? -1 }.sorted())" }
    var lines: [String] = []
    for city in try context.fetch(City.all) {
      let country = city.country.map { "\(numbers[$0.objectID] ?? -1)" } ?? "nil"
      lines.append(
        "city \(numbers[city.objectID] ?? -1) \(city.name) \(city.population) \(country)")
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
    for government in try context.fetch(Government.all) {
      lines.append("government \(numbers[government.objectID] ?? -1) \(government.form)")
    }
    for ferry in try context.fetch(Ferry.all) {
      lines.append("ferry \(numbers[ferry.objectID] ?? -1) \(ferry.name)")
    }
    lines.append("by name " + list(try context.fetchIDs(City.where { $0.name == "3" })))
    lines.append("count \(try context.count(for: City.where { $0.population > 2 }))")
    return lines.sorted()
  }

  private func expectedLines(_ graph: Oracle.Graph) -> [String] {
    var lines: [String] = []
    for (number, row) in graph.rows {
      let ties = graph.ties.filter { $0.ends.contains(number) }
      let spoken = ties.filter { if case .spoken = $0 { true } else { false } }
      let others = { (ties: Set<ModelGraph.Tie>) in
        "\(ties.flatMap(\.ends).filter { $0 != number }.sorted())"
      }
      switch row.kind {
      case .city:
        let country = row.country.map(String.init) ?? "nil"
        lines.append("city \(number) \(row.name) \(row.population) \(country)")
      case .country:
        let cities = graph.rows.filter { $0.value.country == number }.keys.sorted()
        lines.append(
          "country \(number) \(row.name) \(row.population) cities \(cities) languages "
            + others(spoken) + " neighbours " + others(ties.subtracting(spoken)))
      case .language: lines.append("language \(number) \(row.name) countries " + others(spoken))
      case .government: lines.append("government \(number) \(row.name)")
      case .ferry: lines.append("ferry \(number) \(row.name)")
      }
    }
    let cities = graph.rows.filter { $0.value.kind == .city }
    lines.append("by name \(cities.filter { $0.value.name == "3" }.keys.sorted())")
    lines.append("count \(cities.count { $0.value.population > 2 })")
    return lines.sorted()
  }
}

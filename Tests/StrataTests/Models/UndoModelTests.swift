// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

@Suite struct `Undo compared with whole copies of the graph` {
  @Test func `shows the same after each of many random operations`() async {
    let failure = await ModelTest("undo", sequences: 40, steps: 60) { try World($0) }.firstFailure()
    #expect(failure == nil)
  }

  #if DEBUG
    @Test func `differs where undo forgets the links`() async {
      let failure = await ModelTest("undo with a fault", sequences: 60, steps: 60, first: 1) {
        try World($0, fault: .undoForgetsLinks)
      }.firstFailure(isShrunk: false)
      #expect(failure != nil)
    }
  #endif
}

/// The present and the former states: a copy of everything for each group.
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
  /// The graph at the beginning of the open group.
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
private struct World: Model {
  private struct Refusal: Error {}

  var random: ModelRandom
  private let container: PersistentContainer
  private let planting: Planting
  private let context: ManagedObjectContext
  private let child: ManagedObjectContext
  private var oracle = Oracle()
  /// The states that throwing savepoints would restore.
  private var savepoints: [Oracle] = []
  private var ids: [ObjectID] = []
  private var numbers: [ObjectID: Int] = [:]
  /// The held instances, if there are any: an object that comes back is the same.
  private var held: [ObjectID: ManagedObject] = [:]
  private let holdsInstances: Bool

  init(_ setup: ModelRandom, fault: PlantedFault? = nil) throws {
    random = setup
    container = try geography()
    planting = Planting(fault, in: container)
    holdsInstances = random.chance(2)
    context = undoableContext(container)
    child = ManagedObjectContext(parent: context.layer)
    if random.chance(2) { context.cacheByteBudget = 0 }
  }

  // MARK: - One operation

  static var operations: [ModelOperation<World>] {
    [
      ModelOperation("mutate", weight: 46) { try $0.mutate($0.context) },
      ModelOperation("undo", weight: 14) { $0.undo() },
      ModelOperation("redo", weight: 10) { $0.redo() },
      ModelOperation("save", weight: 8) { try $0.save() },
      ModelOperation("a child saves", weight: 6) { try $0.push() },
      ModelOperation("edit", weight: 13) { try $0.edit() },
      ModelOperation("roll back or reset") { $0.forget() },
    ]
  }

  mutating func check() throws {
    if random.chance(3) { endTurn() }
    if random.chance(2) { try compare() }
  }

  mutating func finish() throws {
    endTurn()
    try compare()
  }

  private mutating func endTurn() {
    context.processPendingChanges()
    // In an edit no turn ends.
    guard savepoints.isEmpty else { return }
    oracle.endGroup()
    random.note("turn ends")
  }

  private mutating func undo() {
    context.undo()
    oracle.undo()
  }

  private mutating func redo() {
    context.redo()
    oracle.redo()
  }

  private mutating func save() throws {
    try context.save()
    oracle.endGroup()
    oracle.saved = oracle.graph
    for index in savepoints.indices { savepoints[index] = oracle }
    let stored = try lines(ManagedObjectContext(parent: container.coordinator))
    try check(stored, against: expectedLines(oracle.saved), "stored")
  }

  private mutating func forget() {
    if random.chance(2) { context.rollback() } else { context.reset() }
    oracle.graph = oracle.saved
    oracle.groupStart = oracle.graph
    oracle.undoGraphs = []
    oracle.redoGraphs = []
    held = [:]
    for index in savepoints.indices { savepoints[index] = oracle }
  }

  /// A child's save: a group of its own.
  private mutating func push() throws {
    guard savepoints.isEmpty else { return }
    endTurn()
    child.reset()
    try mutate(child)
    try child.save()
    context.processPendingChanges()
    oracle.endGroup()
  }

  /// An edit, which may throw.
  private mutating func edit() throws {
    let throwsAtEnd = random.chance(2)
    guard savepoints.count < 3 else { return }
    random.note("edit begins")
    savepoints.append(oracle)
    do {
      try context.withSavepoint {
        for _ in 0...random.below(5) {
          try step()
          if random.chance(3) { try compare() }
        }
        if throwsAtEnd { throw Refusal() }
      }
      random.note("edit ends")
      savepoints.removeLast()
    } catch is Refusal {
      random.note("edit throws")
      oracle = savepoints.removeLast()
    }
  }

  // MARK: - Edits

  private mutating func pick(_ kind: ModelGraph.Kind) -> Int? {
    oracle.graph.rows.filter { $0.value.kind == kind }.keys.sorted().randomElement(using: &random)
  }

  private func object<T: ManagedObject>(
    _ number: Int, in context: ManagedObjectContext, as _: T.Type = T.self
  ) throws -> T {
    try context.existingObject(T.self, with: ids[number])
  }

  private mutating func mutate(_ context: ManagedObjectContext) throws {
    switch random.below(20) {
    case 0..<3: insert(.city, in: context)
    case 3..<5: insert(.country, in: context)
    case 5..<6:
      insert([.language, .government, .ferry].randomElement(using: &random)!, in: context)
    case 6..<11: try set(in: context)
    case 11..<17: try tie(in: context)
    default: try delete(in: context)
    }
  }

  private mutating func insert(_ kind: ModelGraph.Kind, in context: ManagedObjectContext) {
    let number = ids.count
    var row = ModelGraph.Row(kind: kind, name: "\(random.below(6))")
    let id: ObjectID
    switch kind {
    case .city: id = context.city(row.name).objectID
    case .country: id = context.country("\(number)", name: row.name).objectID
    case .language:
      let language = Language(context: context)
      language.code = row.name
      id = language.objectID
    case .government:
      let government = Government(context: context)
      government.form = row.name
      id = government.objectID
    case .ferry:
      let ferry = Ferry(context: context)
      ferry.name = row.name
      id = ferry.objectID
    }
    row.population = 0
    ids.append(id)
    numbers[id] = number
    oracle.graph.rows[number] = row
    random.note("insert \(number): \(row)")
  }

  private mutating func set(in context: ManagedObjectContext) throws {
    let value = random.below(6)
    let choice = random.below(6)
    guard let number = pick(choice < 2 ? .country : .city) else { return }
    let country = random.chance(4) ? nil : pick(.country)
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
    random.note("set \(number): \(oracle.graph.rows[number]!)")
  }

  private mutating func tie(in context: ManagedObjectContext) throws {
    let isSpoken = random.chance(2)
    let isThere = !random.chance(3)
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
    random.note("\(tie) \(isThere)")
  }

  private mutating func delete(in context: ManagedObjectContext) throws {
    let kinds: [ModelGraph.Kind] = [.city, .country, .language]
    guard let number = pick(kinds.randomElement(using: &random)!) else { return }
    context.delete(try object(number, in: context, as: ManagedObject.self))
    oracle.graph.delete(number)
    random.note("delete \(number)")
  }

  // MARK: - Comparing

  private mutating func compare() throws {
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

  private mutating func checkInstances() throws {
    if !holdsInstances { return }
    for number in oracle.graph.rows.keys {
      let id = ids[number]
      let object: ManagedObject = try object(number, in: context)
      if let former = held[id], former !== object {
        throw ModelDifference("\(number) has another instance")
      }
      held[id] = object
    }
  }

  private func check(_ shown: [String], against expected: [String], _ what: String) throws {
    if shown == expected { return }
    let surplus = shown.filter { !expected.contains($0) }
    let missing = expected.filter { !shown.contains($0) }
    throw ModelDifference(
      (["\(what):"] + surplus + ["expected:"] + missing).joined(separator: "\n"))
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
    lines.append("count \(try context.count(City.where { $0.population > 2 }))")
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

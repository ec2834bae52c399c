// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// A world over store and layers. Each step asks for rows of properties that an index has. With a
/// column that no index has, the same rows are computed from records: bit for bit the same.
private struct CoveredWorld: Model {
  var random: ModelRandom
  private let world: World
  private let view: ReadView

  init(_ random: ModelRandom, cityCount: Int, segmentCount: Int) throws {
    self.random = random
    (world, view) = try World.random(
      &self.random, cityCount: cityCount, segmentCount: segmentCount)
  }

  static var operations: [ModelOperation<CoveredWorld>] {
    [
      ModelOperation("columns") { try $0.compareColumns() },
      ModelOperation("aggregates") { try $0.compareAggregates() },
      ModelOperation("groups") { try $0.compareGroups() },
    ]
  }

  /// The properties of each index.
  private static let indexes = [
    ["name"], ["nickname"], ["population"], ["elevation"], ["code"], ["country"],
    ["country", "name"], ["country", "population"], ["isWalled", "rank", "nickname"],
    ["founded", "population"],
  ]

  private mutating func compareColumns() throws {
    let names = random.pick(Self.indexes) ?? []
    var request = request(names)
    if let name = names.filter({ !["code", "country"].contains($0) }).randomElement(using: &random),
      random.chance(2)
    {
      request = request.sorted(name: name, isReversed: random.chance(2))
    }
    if random.chance(2) { request = request.limit(random.below(50)) }
    if random.chance(2) { request = request.offset(random.below(60)) }
    let columns = (names.filter { _ in !random.chance(3) } + ["SELF"]).map { FetchColumn($0) }
    try compare(request.select(columns), request.select(columns + [FetchColumn("country.motto")]))
  }

  private mutating func compareAggregates() throws {
    let names = random.pick(Self.indexes) ?? []
    var request = request(names)
    let hasWindow = random.chance(6)
    let columns = aggregates(of: names)
    if hasWindow { request = request.limit(random.below(50)).offset(random.below(20)) }
    try compare(
      request.select(columns), request.select(columns + [.count("country.motto")]),
      hasWindowOfObjects: hasWindow)
  }

  private mutating func compareGroups() throws {
    let names = random.pick(Self.indexes) ?? []
    let key = FetchColumn(random.pick(names) ?? "")
    let request = request(names)
    let columns = [key] + aggregates(of: names)
    try compare(
      request.select(columns).grouped(by: key),
      request.select(columns + [.count("country.motto")]).grouped(by: key))
  }

  private mutating func aggregates(of names: [String]) -> [FetchColumn] {
    let numbers = names.filter { ["population", "elevation", "rank"].contains($0) }
    let ordered = names.filter { !["code", "country", "isWalled"].contains($0) }
    // Least and greatest values alone are read from the ends of an index.
    let areExtremes = random.chance(3)
    return (0...random.below(3)).map { number in
      let name = "\(number)"
      switch random.below(areExtremes ? 2 : 7) {
      case 0: if let column = random.pick(ordered) { return .min(FetchColumn(column), as: name) }
      case 1: if let column = random.pick(ordered) { return .max(FetchColumn(column), as: name) }
      case 2: if let column = random.pick(numbers) { return .sum(FetchColumn(column), as: name) }
      case 3:
        if let column = random.pick(numbers) { return .average(FetchColumn(column), as: name) }
      case 4:
        return .count(FetchColumn(random.pick(names) ?? "SELF"), distinct: true, as: name)
      case 5: return .count(FetchColumn(random.pick(names) ?? "SELF"), as: name)
      default: break
      }
      return .count(as: name)
    }
  }

  /// A predicate that one range of the index decides, mostly.
  private mutating func request(_ names: [String]) -> FetchRequest<City> {
    var predicates: [FetchPredicate] = []
    for name in names where predicates.count == 0 || random.chance(2) {
      if random.chance(5) { break }
      if let predicate = predicate(name) { predicates.append(predicate) }
    }
    let all = predicates.dropFirst().reduce(predicates.first) { one, two in one.map { $0 && two } }
    let request = FetchRequest<City>(all)
    return random.chance(8) ? request.excludingSubentities() : request
  }

  private mutating func predicate(_ name: String) -> FetchPredicate? {
    let path = PropertyPath<City, City>()
    let text = random.pick(World.names) ?? ""
    let number = random.below(26) - 5
    let elevation = random.pick(World.elevations) ?? 0
    let isFirst = random.chance(2)
    switch name {
    case "name": return isFirst ? path.name >= text : path.name < text
    case "nickname": return isFirst ? path.nickname <= text : path.nickname != nil
    case "population":
      return isFirst
        ? path.population >= number && path.population < number + 9 : path.population <= number
    case "elevation": return isFirst ? path.elevation > elevation : path.elevation <= elevation
    case "rank": return isFirst ? path.rank >= Int16(number % 3) : path.rank == nil
    case "isWalled": return path.isWalled == isFirst
    case "founded":
      return path.founded < Date(timeIntervalSinceReferenceDate: Double(number % 4))
    case "country":
      let key = ObjectKey(entity: world.country.number, serial: UInt64(1 + random.below(6)))
      return isFirst ? path.country == world.id(key) : path.country == nil
    default: return nil
    }
  }

  private mutating func compare(
    _ request: RowRequest<City, [String: PropertyValue]>,
    _ ofRecords: RowRequest<City, [String: PropertyValue]>, hasWindowOfObjects: Bool = false
  ) throws {
    let plan = try RowPlan(
      request.untyped(of: world.city.description), entity: world.city, schema: world.schema,
      hasWindowOfObjects: hasWindowOfObjects)
    let otherPlan = try RowPlan(
      ofRecords.untyped(of: world.city.description), entity: world.city, schema: world.schema,
      hasWindowOfObjects: hasWindowOfObjects)
    let explanation = try plan.explanation(in: view)
    random.note("\(plan.names), \(explanation)")
    if explanation.description.contains("values only") { random.count("covered") }
    guard try !otherPlan.explanation(in: view).description.contains("values only") else {
      throw ModelDifference("the compared rows are not of records")
    }
    let count = plan.names.count
    try expectSame(
      rows(of: plan).map { $0.map(\.bits) },
      rows(of: otherPlan).map { $0.prefix(count).map(\.bits) }, "rows")
  }

  private func rows(of plan: RowPlan) throws -> [[PropertyValue]] {
    var rows: [[PropertyValue]] = []
    try plan.fetch(in: view) { values in
      rows.append(try values.all())
      return .more
    }
    return rows
  }
}

extension PropertyValue {
  /// Equal for the same bits alone: -0 is not 0, and an e with an accent has two forms.
  fileprivate var bits: String {
    switch self {
    case .double(let number): "double \(number.bitPattern)"
    case .date(let date): "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
    case .string(let text): "text \(Array(text.utf8))"
    default: "\(self)"
    }
  }
}

extension FetchRequest<City> {
  fileprivate func sorted(name: String, isReversed: Bool) -> FetchRequest {
    let order: SortOrder = isReversed ? .reverse : .forward
    return switch name {
    case "name": sorted(by: \.name, order: order)
    case "nickname": sorted(by: \.nickname, order: order)
    case "population": sorted(by: \.population, order: order)
    case "elevation": sorted(by: \.elevation, order: order)
    case "rank": sorted(by: \.rank, order: order)
    default: sorted(by: \.founded, order: order)
    }
  }
}

@Suite struct `Rows from an index's values` {
  @Test func `are those of the records`() async {
    await expectNone("saved", cityCount: 90, segmentCount: 0)
  }

  @Test func `are those of the records with pending changes`() async {
    await expectNone("pending", cityCount: 90, segmentCount: 1)
  }

  @Test func `are those of the records in a context of a context`() async {
    await expectNone("two contexts", cityCount: 90, segmentCount: 4)
  }

  private func expectNone(_ name: String, cityCount: Int, segmentCount: Int) async {
    let failure = await ModelTest(
      "covered rows, \(name)", sequences: 2, steps: 150, meets: ["covered": 100]
    ) {
      try CoveredWorld($0, cityCount: cityCount, segmentCount: segmentCount)
    }.firstFailure()
    #expect(failure == nil)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// Random predicates of the whole language, as format strings, with sorts and windows, over saved,
/// pending and mixed data, are answered three times: by a plan, by asking each object, and by
/// filtering plain Swift values. There must be no difference.
///
/// 42 worlds with 120 predicates each; `STRATA_QUERY_WORLDS` makes it more.
@Suite struct `The whole language compared with a plain filter` {
  private static let worldCount = UInt64(
    ProcessInfo.processInfo.environment["STRATA_QUERY_WORLDS"].flatMap(UInt64.init) ?? 42)

  @Test(arguments: 1...worldCount)
  func `finds the same`(seed: UInt64) throws {
    // No segment, one, and four of two contexts.
    let segmentCount = [0, 1, 4][Int(seed % 3)]
    var (world, random) = try World.random(
      seed: seed &+ 40_000, cityCount: 24, segmentCount: segmentCount)
    let (view, _) = world.view(ownCount: (segmentCount + 1) / 2)
    for number in 1...120 {
      let isAboutCities = Int.random(in: 0..<5, using: &random) > 0
      var formula = RandomFormula(in: world, aboutCities: isAboutCities, random)
      let condition = formula.condition(depth: number % 4)
      random = formula.random
      let predicate = try FetchPredicate(
        format: condition.text, argumentArray: formula.arguments)
      let keys = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        RandomSortKey.random(&random)
      }
      let text = "seed \(seed): \(condition.text) % \(formula.arguments)"
      if isAboutCities {
        var request = keys.reduce(FetchRequest<City>(predicate)) { $1.apply($0) }
        if Bool.random(using: &random) { request = request.limit(number % 9).offset(number % 4) }
        let expected = world.cities.filter { condition.isTrue([$0.key]) }
          .sorted { left, right in
            for key in keys {
              let order = key.order(left.value, right.value)
              if order != 0 { return order < 0 }
            }
            return left.key < right.key
          }
          .map(\.key)
        try compare(request.untyped, world.city, expected, in: world, view, text)
      } else {
        let request = FetchRequest<Country>(predicate)
        let expected = world.countries.keys.filter { condition.isTrue([$0]) }.sorted()
        try compare(request.untyped, world.country, expected, in: world, view, text)
      }
    }
  }

  private func compare(
    _ request: UntypedFetchRequest, _ entity: EntitySchema, _ expected: [ObjectKey],
    in world: World, _ view: ReadView, _ text: String
  ) throws {
    let plan = try QueryPlan(request, entity: entity, schema: world.schema)
    let window = Array(expected.dropFirst(request.offset).prefix(request.limit ?? .max))
    let found = try plan.fetch(in: view).map(\.key)
    #expect(found == window, "\(text): \(plan)")
    #expect(try plan.count(in: view) == window.count, "\(text): \(plan)")
    let scanned = try scan(plan, entity, in: world, view)
    #expect(scanned == Set(expected), "\(text): \(plan)")
  }

  /// Asks each object by itself, without a plan.
  private func scan(
    _ plan: QueryPlan, _ entity: EntitySchema, in world: World, _ view: ReadView
  ) throws -> Set<ObjectKey> {
    let reader = RowReader(view: view)
    var found: Set<ObjectKey> = []
    let keys =
      entity.number == world.country.number ? Array(world.countries.keys) : Array(world.cities.keys)
    for key in keys {
      guard case .record(let stored) = try view.find(key),
        let layout = world.schema.layout(of: key.entity)
      else { continue }
      let isTrue = try stored.record.withRow(of: key, layout) { row in
        try plan.condition?.isTrue(of: row, reader)
      }
      if isTrue ?? true { found.insert(key) }
    }
    return found
  }
}

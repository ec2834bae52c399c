// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// Every request is answered twice: by a plan over store and layers, and by filtering and sorting
/// plain Swift values. There must be no difference.
@Suite struct `A fetch compared with a plain filter` {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `finds the same saved objects`(seed: UInt64) throws {
    try compare(seed: seed, cityCount: 60, segmentCount: 0, queryCount: 120)
  }

  @Test(arguments: 101...112 as ClosedRange<UInt64>)
  func `finds the same through pending changes`(seed: UInt64) throws {
    try compare(seed: seed, cityCount: 60, segmentCount: 1, queryCount: 120)
  }

  @Test(arguments: 201...212 as ClosedRange<UInt64>)
  func `finds the same through two contexts of several segments`(seed: UInt64) throws {
    try compare(seed: seed, cityCount: 60, segmentCount: 4, queryCount: 120)
  }

  @Test(arguments: 301...303 as ClosedRange<UInt64>)
  func `finds the same among so many that an index is given up`(seed: UInt64) throws {
    try compare(seed: seed, cityCount: 700, segmentCount: 2, queryCount: 60)
  }

  private func compare(
    seed: UInt64, cityCount: Int, segmentCount: Int, queryCount: Int
  ) throws {
    var (world, random) = try World.random(
      seed: seed, cityCount: cityCount, segmentCount: segmentCount)
    let (view, _) = world.view(ownCount: (segmentCount + 1) / 2)
    for _ in 0..<queryCount {
      let term =
        Int.random(in: 0..<8, using: &random) == 0
        ? nil
        : RandomTerm.random(
          depth: Int.random(in: 0...3, using: &random), in: world, &random)
      let keys = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        RandomSortKey.random(&random)
      }
      var request = keys.reduce(FetchRequest<City>(term?.predicate)) { $1.apply($0) }
      if Bool.random(using: &random) {
        request = request.limit(.random(in: 0...30, using: &random))
      }
      if Bool.random(using: &random) {
        request = request.offset(.random(in: 0...9, using: &random))
      }
      if Int.random(in: 0..<5, using: &random) == 0 { request = request.excludingSubentities() }
      try compare(request, term, keys, in: world, view, loadsRecords: .random(using: &random), seed)
    }
  }

  private func compare(
    _ request: FetchRequest<City>, _ term: RandomTerm?, _ keys: [RandomSortKey], in world: World,
    _ view: ReadView, loadsRecords: Bool, _ seed: UInt64
  ) throws {
    let expected = world.cities
      .filter { request.includesSubentities || $0.key.entity == world.city.number }
      .filter { term?.isTrue($0.value, world) ?? true }
      .sorted { left, right in
        for key in keys {
          let order = key.order(left.value, right.value)
          if order != 0 { return order < 0 }
        }
        return left.key < right.key
      }
      .map(\.key).dropFirst(request.fetchOffset).prefix(request.fetchLimit ?? .max)

    let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    let rows = try loadsRecords ? plan.fetch(in: view) : []
    let found = try loadsRecords ? rows.map(\.key) : plan.fetchKeys(in: view)
    let text = "seed \(seed): \(term?.text ?? "all"), by \(keys.map(\.text)), \(plan)"
    #expect(found == Array(expected), "\(text)")
    #expect(try plan.count(in: view) == expected.count, "\(text)")
    for row in rows {
      let stored = try #require(row.record, "\(text)")
      let layout = try #require(world.schema.entity(row.key.entity)?.layout)
      let name: String? = stored.record.value(at: 0, layout)
      #expect(name == world.cities[row.key]?.name, "\(text)")
    }
  }
}

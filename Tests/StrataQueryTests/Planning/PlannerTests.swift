// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import Testing

private func plan(_ request: FetchRequest<City>) throws -> String {
  let world = try World()
  return try QueryPlan(request, entity: world.city, schema: world.schema).description
}

@Suite struct `A plan` {
  private let all = FetchRequest<City>()

  @Test func `looks equal values up in the index and asks nothing more`() throws {
    #expect(try plan(all.where { $0.name == "Bam" }) == "City: index on name (values); in order")
  }

  @Test func `joins two ends of a range, and walks it in the order of the sort`() throws {
    let request = all.where { (1...9).contains($0.population) }.sorted(by: \.population).limit(50)
    #expect(try plan(request) == "City: index on population (range); in order; limit 50")
  }

  @Test func `keeps the best few when the range is in another order`() throws {
    let request = all.where { $0.population > 1 && $0.population < 9 }.sorted(by: \.name).limit(50)
    #expect(try plan(request) == "City: index on population (range); best by name; limit 50")
  }

  @Test func `prefers equal values to a range, and asks for the range afterwards`() throws {
    let request = all.where { $0.population > 1 && $0.name == "Bam" }
    #expect(
      try plan(request) == "City: index on name (values); filter: population >; in order")
  }

  @Test func `looks nothing else up beside a unique value, but beside the lack of one it does`()
    throws
  {
    let code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    #expect(
      try plan(all.where { $0.code == code && $0.name == "Bam" })
        == "City: index on code (values); filter: name ==; in order")
    // Any number of objects have no code.
    #expect(
      try plan(all.where { $0.code == nil && $0.name == "Bam" })
        == "City: index on name (values) and index on code (values)")
  }

  @Test func `checks the entries that a prefix of the index finds`() throws {
    // The bytes may end within a character.
    #expect(
      try plan(all.where { $0.name.hasPrefix("Lavā") })
        == "City: index on name (prefix); filter: name prefix")
    // Of these, only where no letter of ASCII follows.
    #expect(try plan(all.where { $0.name.hasPrefix("Ba") }) == "City: index on name (prefix)")
  }

  @Test func `joins alternatives on one property`() throws {
    #expect(
      try plan(all.where { $0.name == "Bam" || $0.name == "Qom" })
        == "City: index on name (values)")
    #expect(
      try plan(all.where { $0.name == "Bam" || $0.rank == 1 })
        == "City: all records; filter: (name == || rank ==)")
  }

  @Test func `puts the objects of values that follow each other into the order of their keys`()
    throws
  {
    let world = try World()
    for population in [3, 2, 3, 2] {
      world.put(CityValue(population: population), at: world.newKey(world.city))
    }
    world.save()
    let plan = try QueryPlan(
      all.where { $0.population.isIn([2, 3]) }, entity: world.city, schema: world.schema)
    #expect(plan.description == "City: index on population (values)")
    let found = try plan.fetch(in: world.view().view)
    #expect(found.map(\.key) == world.cities.keys.sorted())
  }

  @Test func `finds objects by a to-one relationship`() throws {
    let world = try World()
    let id = world.id(world.newKey(world.country))
    let plan = try QueryPlan(
      all.where { $0.country == id }, entity: world.city, schema: world.schema)
    #expect(plan.description == "City: index on country (values); in order")
  }

  @Test func `walks the index of the sort key if there is a limit`() throws {
    #expect(
      try plan(all.sorted(by: \.nickname, order: .reverse).limit(5))
        == "City: index on nickname; in reverse order; limit 5")
    #expect(
      try plan(all.where { $0.rank == 1 }.sorted(by: \.nickname).limit(5))
        == "City: index on nickname; filter: rank ==; in order; limit 5")
  }

  @Test func `leaves a range with one end for the index of the sort key if there is a limit`()
    throws
  {
    let request = all.where { $0.population > 1 }.sorted(by: \.nickname)
    #expect(try plan(request) == "City: index on population (open range); sorted by nickname")
    #expect(
      try plan(request.limit(5))
        == "City: index on nickname; filter: population >; in order; limit 5")
  }

  @Test func `visits all records where no index fits`() throws {
    #expect(
      try plan(all.where { $0.rank == 1 }.sorted(by: \.founded))
        == "City: all records; filter: rank ==; sorted by founded")
    #expect(try plan(all.where { $0.name != "Bam" }) == "City: all records; filter: !(name ==)")
  }

  @Test func `does not show the values that are asked for`() throws {
    #expect(try !plan(all.where { $0.name == "secret" }).contains("secret"))
  }
}

@Suite struct `A fetch reads` {
  private func populated(_ count: Int) throws -> World {
    let world = try World()
    for index in 0..<count {
      world.put(
        CityValue(name: "c\(index)", population: index), at: world.newKey(world.city))
    }
    world.save()
    return world
  }

  private func plan(_ request: FetchRequest<City>, _ world: World) throws -> QueryPlan {
    try QueryPlan(request, entity: world.city, schema: world.schema)
  }

  @Test func `no record to find IDs or to count by an index`() throws {
    let world = try populated(100)
    let (view, store) = world.view()
    let found = try plan(FetchRequest<City>().where { $0.population.isIn(10..<20) }, world)
    #expect(try found.fetchKeys(in: view).count == 10)
    #expect(try found.count(in: view) == 10)
    #expect(store.recordReadCount == 0 && store.recordScanCount == 0)
  }

  @Test func `no more entries of an ordered index than the limit asks for`() throws {
    let world = try populated(1_000)
    let (view, store) = world.view()
    let first = try plan(
      FetchRequest<City>().where { $0.population >= 500 }.sorted(by: \.population).limit(5), world)
    #expect(
      try first.fetch(in: view).map(\.key.serial) == [501, 502, 503, 504, 505])
    #expect(store.entryScanCount == 5 && store.recordReadCount == 5)
  }

  @Test func `the records in their order instead of looking most of them up`() throws {
    let world = try populated(1_000)
    let (view, store) = world.view()
    let most = try plan(
      FetchRequest<City>().where { $0.population >= 10 && $0.isWalled == false }, world)
    #expect(try most.fetch(in: view).count == 990)
    #expect(store.recordReadCount == 0 && store.recordScanCount == 1_000)
  }

  @Test func `nothing for a limit of zero`() throws {
    let world = try populated(10)
    let (view, store) = world.view()
    #expect(
      try plan(FetchRequest<City>().limit(0), world).fetch(in: view).isEmpty)
    #expect(store.recordScanCount == 0)
  }
}

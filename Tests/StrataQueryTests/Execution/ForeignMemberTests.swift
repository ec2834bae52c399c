// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataQuery
import StrataRecord
import Testing

/// A store may be damaged: no stored link may stop a fetch.
@Suite struct `A stored link to an object of another entity` {
  @Test func `leads to no member`() throws {
    let world = try World()
    let (bam, iran) = (world.newKey(world.city), world.newKey(world.country))
    world.put(CityValue(name: "Bam"), at: bam)
    world.put(CountryValue(name: "Iran"), at: iran)
    world.setTwins(bam, iran, true)
    world.save()
    let view = world.view().view
    func count(_ predicate: FetchPredicate) throws -> Int {
      try QueryPlan(
        FetchRequest<City>(predicate), entity: world.city, schema: world.schema
      ).count(in: view)
    }
    let city = PropertyPath<City, City>()
    try #require(try count(city.twins.count == 0) == 1)
    #expect(try count(city.twins.any { $0.kind == nil }) == 0)
    #expect(try count(city.twins.all { $0.kind == .port }) == 1)
  }

  @Test func `leaves members of a subentity in the collection`() throws {
    let world = try World()
    let (bam, kerman) = (world.newKey(world.city), world.newKey(world.capital))
    for key in [bam, kerman] { world.put(CityValue(name: "Bam"), at: key) }
    world.setTwins(bam, kerman, true)
    world.save()
    let plan = try QueryPlan(
      FetchRequest<City>(PropertyPath<City, City>().twins.count == 1), entity: world.city,
      schema: world.schema)
    #expect(try plan.count(in: world.view().view) == 2)
  }
}

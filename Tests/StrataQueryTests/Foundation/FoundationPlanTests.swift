// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataRecord
import Testing

@Suite struct `Plans of Foundation's predicates` {
  private func plan(_ predicate: Predicate<City>) throws -> String {
    let schema = try Atlas.schema()
    let city = try #require(schema.entity(for: City.self))
    let request = try FetchRequest(predicate)
    let plan = try QueryPlan(request, entity: city, schema: schema)
    let written = try #require(plan.condition).description
    let isScan = plan.description.contains(": all records")
    return "\(isScan ? "all records" : "index"): \(written)"
  }

  @Test func `use an index where one fits`() throws {
    let (low, high) = (3, 10)
    #expect(
      try plan(#Predicate { $0.population > low && $0.population < high })
        == "index: population > && population <")
    let names = ["Bam", "Qom"]
    #expect(try plan(#Predicate { names.contains($0.name) }) == "index: name in")
    #expect(try plan(#Predicate { $0.name.starts(with: "B") }) == "index: name prefix")
    #expect(try plan(#Predicate { $0.country?.name == "Iran" }) == "index: country.name ==")
    #expect(try plan(#Predicate { $0.country?.motto == "m" }) == "all records: country.motto ==")
  }
}

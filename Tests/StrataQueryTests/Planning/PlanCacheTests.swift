// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataQuery
import Testing

private let all = FetchRequest<City>()

@Suite struct `A plan for other constants` {
  private let world: World
  private let plans = PlanCache()

  init() throws { world = try World() }

  /// The plans of requests of one form, one after the other, and those of the requests alone.
  private func expectSame(
    _ requests: [FetchRequest<City>], _ place: SourceLocation = #_sourceLocation
  ) throws {
    for request in requests {
      let plan = try plans.plan(request, entity: world.city, schema: world.schema)
      let anew = try QueryPlan(request, entity: world.city, schema: world.schema)
      #expect(plan.description == anew.description, sourceLocation: place)
    }
  }

  private func named(_ name: String) -> FetchRequest<City> { all.where { $0.name == name } }

  @Test func `is chosen anew for a text that the index cuts`() throws {
    try expectSame([named("Bam"), named(String(repeating: "a", count: 600)), named("Qom")])
  }

  @Test func `is chosen anew for the value that was never set`() throws {
    try expectSame([named("Bam"), named(""), named("Qom")].map { $0.sorted(by: \.name) })
  }

  @Test func `is chosen anew for a prefix that may end within a character`() throws {
    func beginning(_ prefix: String) -> FetchRequest<City> {
      all.where { $0.name.hasPrefix(prefix) }
    }
    try expectSame([beginning("Ba"), beginning("Lav\u{101}"), beginning(""), beginning("Q")])
  }

  @Test func `is chosen anew for nil, and for a number that is none`() throws {
    func founded(_ date: Date?) -> FetchRequest<City> { all.where { $0.founded == date } }
    try expectSame([founded(.now), founded(nil), founded(.distantPast)])
    func elevated(_ elevation: Double) -> FetchRequest<City> {
      all.where { $0.elevation < elevation }
    }
    try expectSame([elevated(1), elevated(.nan), elevated(-.infinity)])
  }

  @Test func `has the window of its own request`() throws {
    let some = { (count: Int) in all.where { $0.population > count }.limit(count).offset(count) }
    try expectSame([some(1), some(5), some(0)])
  }

  @Test func `is another one for another order, a limit, and without subentities`() throws {
    func populous(_ count: Int) -> FetchRequest<City> { all.where { $0.population > count } }
    try expectSame([
      populous(1), populous(2).sorted(by: \.name), populous(3).sorted(by: \.population),
      populous(4).sorted(by: \.population, order: .reverse), populous(5).limit(3),
      populous(6).excludingSubentities(), populous(7),
    ])
  }

  @Test func `is found among more forms than are kept`() throws {
    let conditions: [(Int) -> FetchRequest<City>] = [
      { number in all.where { $0.population == number } },
      { number in all.where { $0.population < number } },
      { number in all.where { $0.population <= number } },
      { number in all.where { $0.population > number } },
      { number in all.where { $0.population >= number } },
      { number in all.where { $0.name == "\(number)" } },
      { number in all.where { $0.name < "\(number)" } },
      { number in all.where { $0.name <= "\(number)" } },
      { number in all.where { $0.name > "\(number)" } },
      { number in all.where { $0.name >= "\(number)" } },
    ]
    let orders: [(FetchRequest<City>) -> FetchRequest<City>] = [
      { $0 }, { $0.limit(5) }, { $0.sorted(by: \.name) }, { $0.sorted(by: \.population) },
    ]
    for round in 0..<3 {
      for order in orders {
        try expectSame(conditions.map { order($0(round)) })
      }
    }
  }
}

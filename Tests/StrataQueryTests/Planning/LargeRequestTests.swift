// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Synchronization
import Testing

// Requests that a program or a user makes without measure. None may take a time that doubles, fill
// the stack, or never end.

@Suite struct `A large request` {
  private typealias Path = PropertyPath<City, City>

  /// A world with two cities that are twins.
  private func twins() throws -> World {
    let world = try World()
    let keys = [world.newKey(world.city), world.newKey(world.city)]
    for key in keys { world.put(CityValue(name: "Bam", rank: 1), at: key) }
    world.setTwins(keys[0], keys[1], true)
    world.save()
    return world
  }

  private func plan(_ predicate: FetchPredicate, _ world: World) throws -> QueryPlan {
    try QueryPlan(FetchRequest<City>(predicate), entity: world.city, schema: world.schema)
  }

  /// The description alone: a failed expectation would show all parts of a plan.
  private func description(_ predicate: FetchPredicate) throws -> String {
    try plan(predicate, World()).description
  }

  private func error(_ predicate: FetchPredicate) throws -> QueryError? {
    let world = try World()
    return #expect(throws: QueryError.self) { try plan(predicate, world) }
  }

  // MARK: - Operators inside of operators

  @Test func `of ranges inside of ranges takes one step for each of them`() throws {
    let world = try twins()
    func condition(_ path: Path, _ depth: Int) -> FetchPredicate {
      if depth == 0 { return (0...1).contains(path.twins.count) }
      return (1...9).contains(path.twins.filter { condition($0, depth - 1) }.count)
    }
    #expect(try plan(condition(Path(), 40), world).count(in: world.view().view) == 2)
    #expect(try description(condition(Path(), 40)).count < 10_000)
  }

  @Test func `of lists inside of lists takes one step for each of them`() throws {
    let world = try twins()
    func condition(_ path: Path, _ depth: Int) -> FetchPredicate {
      if depth == 0 { return path.rank == 1 }
      return [7, 8, 1].contains(path.twins.filter { condition($0, depth - 1) }.count)
    }
    #expect(try plan(condition(Path(), 40), world).count(in: world.view().view) == 2)
    #expect(try description(condition(Path(), 40)).count < 10_000)
  }

  @Test func `of subqueries between bounds takes one step for each of them`() throws {
    let world = try twins()
    var format = "rank = 1"
    for _ in 0..<12 { format = "SUBQUERY(twins, $x, \(format)).@count BETWEEN {0, 1 + 8}" }
    let plan = try plan(try FetchPredicate(format: format), world)
    #expect(try plan.count(in: world.view().view) == 2)
  }

  // MARK: - Regular expressions

  @Test(arguments: [
    ("(a+)+b", String(repeating: "a", count: 40)),
    ("(a|b)*", String(repeating: "ab", count: 1_000_000)),
  ])
  func `with a pattern that has no answer for a text throws`(pattern: String, name: String) throws {
    let world = try World()
    world.put(CityValue(name: name), at: world.newKey(world.city))
    world.save()
    let plan = try plan(Path().name.matches(pattern), world)
    #expect(throws: QueryError.costlyPattern) { try plan.count(in: world.view().view) }
    #expect(throws: QueryError.costlyPattern) { try plan.fetch(in: world.view().view) }
  }

  @Test func `with a pattern finds long texts`() throws {
    let world = try World()
    let name = String(repeating: "ab", count: 100_000)
    world.put(CityValue(name: name), at: world.newKey(world.city))
    world.save()
    for (pattern, count) in [("[ab]*", 1), ("[ab]*?", 1), (".*c", 0), ("[ab]*a", 0)] {
      let plan = try plan(Path().name.matches(pattern), world)
      #expect(try plan.count(in: world.view().view) == count, "\(pattern)")
    }
  }

  @Test func `with a costly pattern ends with its task`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let world = try World()
      let name = String(repeating: "a", count: 40)
      world.put(CityValue(name: name), at: world.newKey(world.city))
      world.save()
      let plan = try plan(Path().name.matches("(a+)+b"), world)
      return try plan.count(in: world.view().view)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  // MARK: - Many values of one property

  @Test func `for one of a hundred thousand values is planned`() throws {
    let path = Path()
    var one = path.population == 0
    for number in 1..<100_000 { one = one || path.population == number }
    #expect(try description(one) == "City: index on population (values)")
    let many = [Int](0..<100_000)
    let lists = path.population.isIn(many) && path.population.isIn(many.reversed())
    #expect(try description(lists) == "City: index on population (values)")
  }

  @Test func `without a hundred thousand values is planned`() throws {
    let path = Path()
    var others = path.population != 0
    for number in 1..<100_000 { others = others && path.population != number }
    #expect(try description(others) == "City: all records; filter: !(population in)")
    #expect(try description(!others).prefix(5) == "City:")
  }

  @Test func `for one of many values tests an object once, however it is written`() throws {
    let path = Path()
    let numbers = (0..<5_000).map { Int16($0) }
    let (none, all) = (FetchPredicate(value: false), FetchPredicate(value: true))
    let one = numbers.reduce(none) { $0 || path.rank == $1 }
    #expect(try description(one) == "City: all records; filter: rank in")
    let other = numbers.reduce(all) { $0 && path.rank != $1 }
    #expect(try description(other) == "City: all records; filter: !(rank in)")
    let format = Array(repeating: "rank == %@", count: 50).joined(separator: " OR ")
    let formatted = try FetchPredicate(
      format: format, argumentArray: numbers.prefix(50).map { $0 })
    #expect(try description(formatted) == "City: all records; filter: rank in")
    let indexed = (0..<5_000).reduce(none) { $0 || path.population == $1 }
    #expect(try description(indexed) == "City: index on population (values)")
    let lists = path.rank.isIn([1, 2]) || path.name == "Bam" || path.rank == 3
    #expect(try description(lists) == "City: all records; filter: (rank in || name ==)")
  }

  @Test func `with parts that are always or never true is planned without them`() throws {
    let path = Path()
    let (none, all) = (FetchPredicate(value: false), FetchPredicate(value: true))
    let bam = path.name == "Bam"
    #expect(try description(none || bam) == description(bam))
    #expect(try description(all && bam) == description(bam))
    let world = try twins()
    for (predicate, count) in [
      (none || none, 0), (all || bam, 2), (all && all, 2), (none && bam, 0), (!(none || none), 2),
      (!(all && none), 2), (none || bam, 2), (!(none || bam), 0),
    ] {
      #expect(try plan(predicate, world).count(in: world.view().view) == count)
    }
  }

  // MARK: - Predicates made in a loop

  @Test func `has a predicate joined in any way, in the order of its parts`() throws {
    let world = try World()
    let resolver = PathResolver(schema: world.schema, entity: world.city)
    let path = Path()
    let parts = [path.rank == 1, path.name == "Bam", path.population == 5, path.isWalled == true]
    let names = ["rank ==", "name ==", "population ==", "isWalled =="]
    var random = SeededGenerator(seed: 7)
    var (predicate, expected) = (parts[0], [names[0]])
    for _ in 0..<400 {
      let chosen = (0..<Int.random(in: 1...70, using: &random)).map { _ in
        Int.random(in: 0..<parts.count, using: &random)
      }
      let added = chosen.dropFirst().reduce(parts[chosen[0]]) { $0 && parts[$1] }
      if Bool.random(using: &random) {
        (predicate, expected) = (predicate && added, expected + chosen.map { names[$0] })
      } else {
        (predicate, expected) = (added && predicate, chosen.map { names[$0] } + expected)
      }
    }
    #expect(
      try predicate.node.resolved(by: resolver).description == expected.joined(separator: " && "))
  }

  @Test func `is not changed by a predicate that begins with its own`() throws {
    let world = try World()
    let resolver = PathResolver(schema: world.schema, entity: world.city)
    let path = Path()
    let base = path.rank == 1 && path.rank == 2
    let (one, two) = (base && path.name == "Bam", base && path.isWalled == true)
    #expect(try base.node.resolved(by: resolver).description == "rank == && rank ==")
    #expect(try one.node.resolved(by: resolver).description == "rank == && rank == && name ==")
    #expect(try two.node.resolved(by: resolver).description == "rank == && rank == && isWalled ==")
  }

  @Test func `may have conditions added a hundred thousand times`() throws {
    let world = try World()
    var request = FetchRequest<City>()
    for _ in 0..<100_000 { request = request.where { $0.rank == 1 } }
    let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    let count = plan.condition?.terms.count
    #expect(count == 100_000)
  }

  @Test func `with a predicate negated a hundred thousand times is planned`() throws {
    var predicate = Path().rank == 1
    for _ in 0..<100_000 { predicate = !predicate }
    #expect(try description(predicate) == "City: all records; filter: rank ==")
  }

  @Test func `with too many levels is refused, and is released`() throws {
    let (one, two) = (Path().rank == 1, Path().rank == 2)
    var logic = one
    for _ in 0..<100_000 { logic = (logic && one) || two }
    #expect(try error(logic) == .tooManyLevels(maximum: 256))
    var number = Path().population
    for _ in 0..<100_000 { number = number + 1 }
    #expect(try error(number > 1) == .tooManyLevels(maximum: 256))
    var bound = one
    for _ in 0..<100_000 { bound = try bound.withSubstitutionVariables([:]) }
    #expect(try error(bound) == .tooManyLevels(maximum: 256))
    var members = one
    for _ in 0..<100_000 {
      let inner = members
      members = Path().twins.any { _ in inner }
    }
    #expect(try error(members) == .tooManyLevels(maximum: 256))
    var column = FetchColumn("rank")
    for _ in 0..<100_000 { column = .sum(column, as: "sum") }
    let rows = FetchRequest<City>().select(column)
    let world = try World()
    // An aggregate inside of another is a mistake of its own.
    #expect(throws: QueryError.misplacedAggregate("sum")) {
      try RowPlan(rows.untyped(of: Atlas.city), entity: world.city, schema: world.schema)
    }
  }

  @Test func `with as many levels as are allowed is evaluated`() throws {
    let world = try twins()
    var predicate = Path().rank == 1
    // A comparison is a level around its property, and each turn adds one or two.
    for _ in 0..<120 { predicate = (predicate && Path().rank == 1) || Path().rank == 2 }
    #expect(try plan(predicate, world).count(in: world.view().view) == 2)
  }

  /// Threads other than the main one have 512 KiB on Apple's systems.
  @Test func `with as many levels as are allowed fits on the stack of a thread`() {
    let counts = Mutex<[Int]>([])
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      defer { isDone.signal() }
      guard let world = try? twins() else { return }
      var (logic, members, truth) = (Path().rank == 1, Path().rank == 1, Path().rank == 1)
      for _ in 0..<120 { logic = (logic && Path().rank == 1) || Path().rank == 2 }
      for _ in 0..<62 {
        let inner = members
        members = Path().twins.any { _ in inner }
      }
      for _ in 0..<40 {
        let inner = truth
        truth = Path().twins.filter { _ in inner }.count.isIn(0...9)
      }
      var number = Path().population
      for _ in 0..<250 { number = number + 1 }
      for predicate in [logic, members, truth, number > 1] {
        let count = try? plan(predicate, world).count(in: world.view().view)
        counts.withLock { $0.append(count ?? -1) }
      }
    }
    thread.stackSize = 512 << 10
    thread.start()
    isDone.wait()
    #expect(counts.withLock { $0 } == [2, 2, 2, 2])
  }

  @Test func `with a part that doubles at each level is refused`() throws {
    let (one, two) = (Path().rank == 1, Path().rank == 2)
    var predicate = one
    for _ in 0..<40 { predicate = (predicate && one) || (two && predicate) }
    #expect(try error(predicate) == .tooManyOperators(maximum: 1 << 20))
    var number = Path().population
    for _ in 0..<40 { number = number + number }
    #expect(try error(number > 1) == .tooManyOperators(maximum: 1 << 20))
  }

  // MARK: - Key paths as text

  @Test func `with a key path of too many steps is refused`() throws {
    let world = try World()
    let path = Array(repeating: "country", count: 100_000).joined(separator: ".")
    let request = FetchRequest<City>().sorted(by: path)
    #expect(throws: QueryError.tooManySteps(maximum: 64)) {
      try QueryPlan(request, entity: world.city, schema: world.schema)
    }
    let twins = Array(repeating: "twins", count: 65).joined(separator: ".")
    let prefetching = try #require(FetchRequest<City>().prefetching(twins).prefetchedPaths.first)
    #expect(throws: QueryError.tooManySteps(maximum: 64)) {
      try RelationshipPath(prefetching, from: world.city, in: world.schema)
    }
  }

  @Test(arguments: ["", ".", "country.", ".name", "country..name"])
  func `with a key path that has an empty name is refused`(path: String) throws {
    let world = try World()
    let request = FetchRequest<City>().sorted(by: path)
    let error = #expect(throws: QueryError.self) {
      try QueryPlan(request, entity: world.city, schema: world.schema)
    }
    guard case .unknownProperty(_, "“”") = error else {
      Issue.record("the path gave \(String(describing: error))")
      return
    }
  }
}

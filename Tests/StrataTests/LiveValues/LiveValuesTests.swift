// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

@Suite struct `The live values of a request` {
  private let container: PersistentContainer
  private var coordinator: PersistentStoreCoordinator { container.coordinator }
  private let names = City.all.sorted(by: \.name).select(\.name)

  init() throws { container = try geography() }

  /// Saves changes that `body` makes in a context of its own.
  private func save(_ body: @Sendable (ManagedObjectContext) throws -> Void) async throws {
    try await ContextQueue(parent: coordinator).perform { context in
      try body(context)
      try context.save()
    }
  }

  @Test func `come at once, and after each save of another context`() async throws {
    try await save { $0.city("A") }
    var values = coordinator.values(of: names).makeAsyncIterator()
    #expect(try await values.next() == ["A"])
    try await save { $0.city("C") }
    #expect(try await values.next() == ["A", "C"])
    try await save { context in
      try #require(try context.fetch(City.where { $0.name == "A" }).first).name = "D"
    }
    #expect(try await values.next() == ["C", "D"])
    try await save { context in
      context.delete(try #require(try context.fetch(City.where { $0.name == "C" }).first))
    }
    #expect(try await values.next() == ["D"])
  }

  @Test func `of a context come when it leaves or moves its query generation`() async throws {
    let root = container.root
    try await root.perform { try $0.setQueryGeneration(from: .current) }
    try await save { $0.city("A") }
    var values = root.values(of: names).makeAsyncIterator()
    #expect(try await values.next() == [])
    try await root.perform { try $0.setQueryGeneration(from: .current) }
    #expect(try await values.next() == ["A"])
    try await save { $0.city("B") }
    try await root.perform { try $0.setQueryGeneration(from: nil) }
    #expect(try await values.next() == ["A", "B"])
  }

  @Test func `have the state after several saves in a row`() async throws {
    var values = coordinator.values(of: City.all.select(\.population)).makeAsyncIterator()
    #expect(try await values.next() == [])
    for number in 1...20 { try await save { $0.city("A", population: number) } }
    // A save while a value is fetched gives another value.
    while let populations = try await values.next(), populations.count < 20 {}
    try await save { context in
      for city in try context.fetch(City.all) { city.population = 0 }
    }
    while let populations = try await values.next(), populations.max() != 0 {}
  }

  @Test func `come as IDs of objects, without those that are equal to the last ones`() async throws
  {
    try await save { context in for name in ["A", "B"] { context.city(name) } }
    let request = City.where { $0.population >= 0 }.sorted(by: \.name)
    var values = coordinator.values(of: request).makeAsyncIterator()
    let first = try #require(try await values.next())
    #expect(first.count == 2)
    try await save { context in
      for city in try context.fetch(City.all) { city.population += 1 }
    }
    try await save { context in
      try #require(try context.fetch(City.where { $0.name == "A" }).first).name = "C"
    }
    #expect(try await values.next() == [first[1], first[0]])
  }

  @Test func `come as rows of several columns`() async throws {
    var values = coordinator.values(of: City.all.select(\.name, \.population)).makeAsyncIterator()
    #expect(try await values.next()?.isEmpty == true)
    try await save { $0.city("A", population: 7) }
    let rows = try #require(try await values.next())
    #expect(rows.map { "\($0.0) \($0.1)" } == ["A 7"])
  }

  @Test func `of several columns come only if one of them has changed`() async throws {
    let request = City.all.sorted(by: \.name).select(\.name, \.population)
    try await save { context in for name in ["A", "B"] { context.city(name, population: 1) } }
    let values = coordinator.values(of: request)
    let collected = Task {
      var all: [[String]] = []
      for try await rows in values {
        all.append(rows.map { "\($0.0) \($0.1)" })
        if all.last?.last == "B 2" { break }
      }
      return all
    }
    // Changes of a property that is no column.
    for number in 1...20 {
      try await save { context in
        let country = context.country("\(number)")
        for city in try context.fetch(City.all) { city.country = country }
      }
    }
    try await save { context in
      try #require(try context.fetch(City.where { $0.name == "B" }).first).population = 2
    }
    let all = try await collected.value
    #expect(all.last == ["A 1", "B 2"])
    #expect(Set(all).count == all.count, "a value equals the one before")
  }

  @Test func `follow a batch`() async throws {
    var values = coordinator.values(of: names).makeAsyncIterator()
    #expect(try await values.next() == [])
    try await coordinator.execute(BatchInsertRequest(City.self), rows: ["A", "B"]) { row, name in
      row.name = name
    }
    #expect(try await values.next() == ["A", "B"])
    try await coordinator.execute(BatchDeleteRequest(City.where { $0.name == "A" }))
    #expect(try await values.next() == ["B"])
  }

  @Test func `follow the objects that conditions, orders and columns lead to`() async throws {
    try await save { context in
      for (iso, name) in [("a", "A"), ("b", "B")] {
        context.city("city of \(name)", in: context.country(iso, name: name))
      }
    }
    func rename(_ iso: String, to name: String) async throws {
      try await save { context in
        try #require(try context.fetch(Country.where { $0.iso == iso }).first).name = name
      }
    }
    var matching = coordinator.values(
      of: City.where { $0.country.name == "A" }.select(\.name)
    ).makeAsyncIterator()
    var ordered = coordinator.values(
      of: City.all.sorted { $0.country.name }.select(\.name)
    ).makeAsyncIterator()
    var columns = coordinator.values(
      of: City.all.sorted(by: \.name).select { $0.country.name }
    ).makeAsyncIterator()
    #expect(try await matching.next() == ["city of A"])
    #expect(try await ordered.next() == ["city of A", "city of B"])
    #expect(try await columns.next() == ["A", "B"])
    try await rename("a", to: "C")
    #expect(try await matching.next() == [])
    #expect(try await ordered.next() == ["city of B", "city of A"])
    #expect(try await columns.next() == ["C", "B"])
  }

  @Test func `of a queue have its unsaved changes and the saves of its children`() async throws {
    let queue = container.newBackgroundContext()
    var values = queue.values(of: names).makeAsyncIterator()
    #expect(try await values.next() == [])
    try await queue.perform { _ = $0.city("A") }
    #expect(try await values.next() == ["A"])
    try await ContextQueue(parent: queue).perform { child in
      child.city("B")
      try child.save()
    }
    #expect(try await values.next() == ["A", "B"])
    try await queue.perform { $0.rollback() }
    #expect(try await values.next() == [])
  }

  @Test @MainActor func `of the view context have what it shows`() async throws {
    let context = container.viewContext
    var values = context.layer.values(of: names).makeAsyncIterator()
    #expect(try await values.next() == [])
    context.city("A")
    #expect(try await values.next() == ["A"])
    try await save { $0.city("B") }
    #expect(try await values.next() == ["A", "B"])
  }

  @Test func `end when the context is gone`() async throws {
    let values = try await container.root.perform { context in
      let own = ManagedObjectContext(parent: context)
      return own.layer.values(of: City.all.select(\.name))
    }
    var count = 0
    for try await _ in values { count += 1 }
    #expect(count <= 1)
  }

  @Test func `leave nothing behind when an iteration ends`() async throws {
    weak var coordinator: PersistentStoreCoordinator?
    try await {
      let container = try geography()
      coordinator = container.coordinator
      let queue = container.newBackgroundContext()
      for try await _ in queue.values(of: names) { break }
    }()
    // The iteration's context has scheduled a merge, whose turn holds it until it has ended.
    while coordinator != nil { await Task.yield() }
  }

  @Test func `end when the task is cancelled`() async throws {
    let values = coordinator.values(of: names)
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in values {
        count += 1
        starting.finish()
      }
      return count
    }
    for await _ in started {}
    task.cancel()
    #expect(try await task.value == 1)
  }

  @Test func `end with the error of a request that cannot be answered`() async throws {
    let request = FetchRequest<City>(try FetchPredicate(format: "mayor == 'A'"))
    var values = coordinator.values(of: request).makeAsyncIterator()
    await #expect(throws: QueryError.unknownProperty(entity: "City", keyPath: "mayor")) {
      try await values.next()
    }
    #expect(try await values.next() == nil)
  }

  @Test func `have the last state for more consumers than cores, whatever they miss`() async throws
  {
    let saveCount = 200
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        let values = coordinator.values(of: names)
        group.addTask {
          for try await names in values where names.count == saveCount { return names.count }
          return 0
        }
      }
      for number in 0..<saveCount { try await save { $0.city("\(number)") } }
      for try await count in group { #expect(count == saveCount) }
    }
  }
}

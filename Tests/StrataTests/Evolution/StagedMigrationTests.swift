// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Dispatch
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// A program's first model.
private enum First {
  @Entity
  final class Zone: ManagedObject {
    @Attribute(.unique) var name: String
    var offset: String
    @Attribute(.external) var map: Data?
    var country: Country?
    @Relationship(inverse: \Label.zones) var labels: ToMany<Label>
  }

  @Entity
  final class Country: ManagedObject {
    var code: String
    @Relationship(inverse: \Zone.country) var zones: OrderedToMany<Zone>
    var note: String?
  }

  @Entity
  final class Label: ManagedObject {
    var text: String
    var zones: ToMany<Zone>
  }

  static func model() throws -> ManagedObjectModel {
    try .init(Zone.self, Country.self, Label.self)
  }
}

/// Its second: names are split, offsets are numbers, the country of a zone is several, labels are
/// gone.
private enum Second {
  @Entity
  final class Zone: ManagedObject {
    @Attribute(.indexed) var area: String
    var place: String?
    var offset: Double = 0
    @Attribute(.external) var map: Data?
    @Relationship(inverse: \Country.zones) var countries: ToMany<Country>
  }

  @Entity
  final class Country: ManagedObject {
    var code: String
    var zones: ToMany<Zone>
    var note: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self, Country.self) }
}

/// Its third, which can be inferred, and its fourth, which cannot.
private enum Third {
  @Entity
  final class Zone: ManagedObject {
    @Attribute(.indexed, originalName: "area") var region: String
    var place: String?
    var offset: Double = 0
    @Attribute(.external) var map: Data?
    @Relationship(inverse: \Country.zones) var countries: ToMany<Country>
  }

  @Entity
  final class Country: ManagedObject {
    var code: String
    var zones: ToMany<Zone>
    var note: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self, Country.self) }
}

private enum Fourth {
  @Entity
  final class Zone: ManagedObject {
    @Attribute(.indexed) var region: String
    var place: String?
    var offset: Int = 0
    @Attribute(.external) var map: Data?
    @Relationship(inverse: \Country.zones) var countries: ToMany<Country>
  }

  @Entity
  final class Country: ManagedObject {
    var code: String
    var zones: ToMany<Zone>
    var note: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self, Country.self) }
}

private struct Stop: Error {}

private let zoneCount = 2_500

private func makeFirstStore(at url: URL, keepingHistory: Bool = false) async throws {
  let container = try PersistentContainer(at: url, model: First.model(), durability: .none)
  if keepingHistory { try await container.coordinator.keepHistory() }
  try await container.root.perform { context in
    let label = First.Label(context: context)
    label.text = "label"
    let countries = ["IR", "FR"].map { code in
      let country = First.Country(context: context)
      country.code = code
      return country
    }
    countries[0].note = "noted"
    for number in 0..<zoneCount {
      let zone = First.Zone(context: context)
      zone.name = "Area\(number % 7)/Place \(number)"
      zone.offset = "\(number % 12).5"
      if number.isMultiple(of: 100) {
        zone.map = Data(repeating: UInt8(number % 256), count: 3_000)
      }
      if number.isMultiple(of: 3) { zone.country = countries[number % 2] }
      if number < 5 { zone.labels.insert(label) }
    }
    try context.save()
  }
}

/// Splits the names of zones, and gives countries a note.
private func split(
  _ body: @escaping @Sendable (StoredObject) throws -> Void = { _ in }
) throws -> MigrationStage {
  try MigrationStage(
    "split", from: First.model(), to: Second.model(),
    converting: ["Zone.area", "Zone.offset", "Country.zones", "Zone.countries", "Country.note"],
    removing: ["Zone.name", "Zone.country", "Zone.labels", "Label"]
  ) { migration in
    try migration.forEach("Country") { former in
      let country = try migration.context.existingObject(
        Second.Country.self, with: former.objectID)
      country.note = try former.value("note") ?? "none"
    }
    try migration.forEach("Zone", batchSize: 300) { former in
      try body(former)
      let zone = try migration.context.existingObject(Second.Zone.self, with: former.objectID)
      let parts = (try former.value("name", as: String.self) ?? "").split(separator: "/")
      zone.area = String(parts[0])
      zone.place = parts.dropFirst().first.map(String.init)
      zone.offset = Double(try former.value("offset", as: String.self) ?? "") ?? -1
      guard let country = try former.target("country") else { return }
      zone.countries.insert(
        try migration.context.existingObject(Second.Country.self, with: country.objectID))
    }
  }
}

private func expectSecond(_ container: PersistentContainer) throws {
  try container.root.performAndWait { context in
    let zones = try context.fetch(Second.Zone.all)
    #expect(zones.count == zoneCount)
    #expect(
      zones.enumerated().allSatisfy { $1.area == "Area\($0 % 7)" && $1.place == "Place \($0)" })
    #expect(zones.enumerated().allSatisfy { $1.offset == Double($0 % 12) + 0.5 })
    #expect(zones[200].map == Data(repeating: 200, count: 3_000) && zones[201].map == nil)
    #expect(try context.count(Second.Zone.where { $0.area == "Area3" }) == 357)
    let countries = try context.fetch(Second.Country.all.sorted(by: \.code))
    #expect(countries.map(\.note) == ["none", "noted"])
    #expect(countries.map(\.zones.count) == [417, 417])
    #expect(zones[3].countries.map(\.code) == ["FR"])
  }
}

@Suite struct `A staged migration` {
  @Test func `converts what cannot be inferred`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    #expect { try PersistentContainer(at: url, model: Second.model()) } throws: {
      if case StoreError.modelMismatch = $0 { true } else { false }
    }
    let told = Mutex<[MigrationProgress]>([])
    let container = try PersistentContainer(
      at: url, model: Second.model(), migratingWith: MigrationPlan(split()), durability: .none
    ) { progress in told.withLock { $0.append(progress) } }
    try expectSecond(container)
    let progress = told.withLock { $0 }
    #expect(progress.first?.completedCount == 2 && progress.first?.stage == "split")
    #expect(progress.last?.completedCount == zoneCount && progress.last?.objectCount == zoneCount)
    // New objects, and a store that is as it should be, need no stage.
    let again = try PersistentContainer(
      at: url, model: Second.model(),
      migratingWith: MigrationPlan(split { _ in throw Stop() }), durability: .none)
    try await again.root.perform { context in
      Second.Zone(context: context).area = "new"
      try context.save()
    }
  }

  @Test func `shows the former objects by name, as they were`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let seen = Mutex(0)
    let plan = try MigrationPlan(
      split { former in
        seen.withLock { $0 += 1 }
        guard try former.value("name", as: String.self) == "Area0/Place 0" else { return }
        #expect(former.entityName == "Zone")
        #expect(try former.value("offset") == .string("0.5"))
        #expect(try former.value("map") == .data(Data(count: 3_000)))
        let country = try #require(try former.target("country"))
        #expect(try country.value("code", as: String.self) == "IR")
        #expect(try former.value("country") == .object(country.objectID))
        let zones = try country.members("zones")
        #expect(zones.count == 417 && zones.first?.objectID == former.objectID)
        let labels = try former.members("labels").map { try $0.value("text") }
        #expect(labels == [.string("label")])
        #expect(throws: QueryError.unknownProperty(entity: "Zone", keyPath: "area")) {
          try former.value("area")
        }
        #expect(throws: QueryError.toManyProperty(entity: "Zone", property: "labels")) {
          try former.value("labels")
        }
        #expect(throws: QueryError.unfitProperty(entity: "Zone", property: "name")) {
          try former.members("name")
        }
      })
    _ = try PersistentContainer(
      at: url, model: Second.model(), migratingWith: plan, durability: .none)
    #expect(seen.withLock { $0 } == zoneCount)
  }

  @Test func `that fails leaves the store as it was`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let plan = try MigrationPlan(
      split { former in
        if try former.value("name", as: String.self) == "Area0/Place 2100" { throw Stop() }
      })
    #expect(throws: Stop.self) {
      try PersistentContainer(
        at: url, model: Second.model(), migratingWith: plan, durability: .none)
    }
    let former = try PersistentContainer(at: url, model: First.model(), durability: .none)
    try await former.root.perform { context in
      let count = try context.count(First.Zone.where { $0.name == "Area0/Place 2100" })
      let labels = try context.fetch(First.Label.all)
      #expect(count == 1 && labels.first?.zones.count == 5)
    }
  }

  @Test func `converts properties, and no entity`() throws {
    let folder = try TemporaryDirectory()
    let stage = try MigrationStage(
      "entity", from: First.model(), to: Second.model(), converting: ["Zone", "Zone.area"]
    ) { _ in }
    #expect {
      try PersistentContainer(
        at: folder.file("store"), model: Second.model(), migratingWith: MigrationPlan(stage))
    } throws: {
      if case StoreError.malformedNames(let names) = $0 { names == ["Zone"] } else { false }
    }
    // There is no store to copy: names come first.
    #expect {
      try MigrationPlan(stage).dryRun(onStoreAt: folder.file("store"), to: Second.model())
    } throws: {
      if case StoreError.malformedNames(let names) = $0 { names == ["Zone"] } else { false }
    }
  }

  @Test func `must give every object a value that it must have`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let lazy = try MigrationStage(
      "lazy", from: First.model(), to: Second.model(),
      converting: ["Zone.area", "Zone.offset", "Country.zones", "Zone.countries", "Country.note"],
      removing: ["Zone.name", "Zone.country", "Zone.labels", "Label"]
    ) { migration in
      try migration.forEach("Zone") { former in
        try migration.context.existingObject(Second.Zone.self, with: former.objectID).area = "a"
      }
    }
    let error = try #require(throws: StoreError.self) {
      try PersistentContainer(
        at: url, model: Second.model(), migratingWith: MigrationPlan(lazy), durability: .none)
    }
    guard case .valuesMissing("Country", "note", objectCount: 1) = error else { throw error }
    _ = try PersistentContainer(at: url, model: First.model(), durability: .none)
  }

  @Test func `names what neither it nor inference covers`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let partial = try MigrationStage(
      "partial", from: First.model(), to: Second.model(), converting: ["Zone.area"],
      removing: ["Zone.name", "Label"]
    ) { _ in Issue.record("it must not run") }
    let error = try #require(throws: StoreError.self) {
      try PersistentContainer(
        at: url, model: Second.model(), migratingWith: MigrationPlan(partial), durability: .none)
    }
    guard case .modelMismatch(let found) = error else { throw error }
    let names = Set(found.map { $0.property.map { "\($0)" } ?? "" })
    #expect(names.isSuperset(of: ["offset", "zones", "note", "country", "labels"]))
    #expect(!names.contains("area") && !names.contains("name"))
  }

  @Test func `goes through all stages, and infers the rest`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let round = try MigrationStage(
      "round", from: Third.model(), to: Fourth.model(), converting: ["Zone.offset"]
    ) { migration in
      try migration.forEach("Zone") { former in
        let zone = try migration.context.existingObject(Fourth.Zone.self, with: former.objectID)
        zone.offset = Int(try former.value("offset", as: Double.self) ?? -1)
      }
    }
    // From the second to the third model no stage leads: that is inferred.
    let plan = try MigrationPlan(split(), round)
    let report = try plan.dryRun(onStoreAt: url, to: Fourth.model())
    #expect(report.stages.map(\.name) == ["split", "round"])
    let container = try PersistentContainer(
      at: url, model: Fourth.model(), migratingWith: plan, durability: .none)
    try await container.root.perform { context in
      let zones = try context.fetch(Fourth.Zone.all)
      #expect(zones.count == zoneCount)
      #expect(
        zones.enumerated().allSatisfy { $1.offset == $0 % 12 && $1.region == "Area\($0 % 7)" })
      #expect(try context.count(Fourth.Zone.where { $0.region == "Area3" }) == 357)
    }
  }

  @Test func `can be tried on a copy, which says what changes`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let open = try PersistentContainer(at: url, model: First.model(), durability: .none)
    let plan = try MigrationPlan(split())
    let report = try plan.dryRun(onStoreAt: url, to: Second.model())
    #expect(report.stages.count == 1 && report.stages[0].updatedCount >= zoneCount)
    #expect(report.stages[0].insertedCount == 0 && report.stages[0].duration > .zero)
    let copy = folder.file("copy")
    try plan.migrateCopy(ofStoreAt: url, to: Second.model(), at: copy)
    try expectSecond(try PersistentContainer(at: copy, model: Second.model(), durability: .none))
    #expect {
      try plan.migrateCopy(ofStoreAt: url, to: Second.model(), at: copy)
    } throws: { if case StoreError.fileExists = $0 { true } else { false } }
    try await open.root.perform { context in
      #expect(try context.count(First.Zone.all) == zoneCount)
      First.Label(context: context).text = "still the first model"
      try context.save()
    }
  }

  @Test func `that is cancelled leaves the store as it was`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url)
    let plan = try MigrationPlan(split())
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let cancelled = DispatchSemaphore(value: 0)
    let opening = Task {
      try await PersistentContainer.open(
        at: url, model: Second.model(), migratingWith: plan, durability: .none
      ) { _ in
        starting.yield()
        cancelled.wait()
        cancelled.signal()
      }
    }
    for await _ in started { break }
    opening.cancel()
    cancelled.signal()
    await #expect(throws: CancellationError.self) { try await opening.value }
    _ = try PersistentContainer(at: url, model: First.model(), durability: .none)
    let container = try await PersistentContainer.open(
      at: url, model: Second.model(), migratingWith: plan, durability: .none)
    try expectSecond(container)
  }

  @Test func `is in the history, and tells programs of the former model`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try await makeFirstStore(at: url, keepingHistory: true)
    let former = try PersistentContainer(at: url, model: First.model(), durability: .none)
    let zone = try await former.root.perform { context in
      let zone = try context.fetch(First.Zone.all.limit(1))[0]
      zone.offset = "unsaved"
      return zone.objectID
    }
    let container = try PersistentContainer(
      at: url, model: Second.model(), migratingWith: MigrationPlan(split()), durability: .none)
    let authors = try container.coordinator.fetchHistory(HistoryRequest()).map(\.author)
    #expect(authors.count == 11 && authors.dropFirst().allSatisfy { $0 == "migration" })
    try await former.root.perform { context in
      // Its unsaved changes are readable.
      #expect((context.registeredObject(for: zone) as? First.Zone)?.offset == "unsaved")
      let error = try #require(throws: StoreError.self) { try context.save() }
      guard case .modelChanged = error else { throw error }
    }
    try expectSecond(container)
  }

  @Test func `can make values unique that were not`() async throws {
    let folder = try TemporaryDirectory()
    func makeStore(at url: URL) throws {
      let container = try PersistentContainer(
        at: url, model: Pairs.Former.model(), durability: .none)
      try container.root.performAndWait { context in
        for name in ["a", "b", "a"] { Pairs.Former.Node(context: context).name = name }
        try context.save()
      }
    }
    let url = folder.file("store")
    try makeStore(at: url)
    func plan(merges: Bool) throws -> MigrationPlan {
      try MigrationPlan(
        MigrationStage("merge", from: Pairs.Former.model(), to: Pairs.Present.model()) {
          migration in
          var names: Set<String> = []
          try migration.forEach("Node") { former in
            let node = try migration.context.existingObject(
              Pairs.Present.Node.self, with: former.objectID)
            if !names.insert(node.name).inserted, merges { migration.context.delete(node) }
          }
        })
    }
    #expect {
      try PersistentContainer(
        at: url, model: Pairs.Present.model(), migratingWith: plan(merges: false),
        durability: .none)
    } throws: { $0.isUniquenessViolation }
    let container = try PersistentContainer(
      at: url, model: Pairs.Present.model(), migratingWith: plan(merges: true), durability: .none)
    let names = try await container.root.perform { context in
      try context.fetch(Pairs.Present.Node.all.sorted(by: \.name)).map(\.name)
    }
    #expect(names == ["a", "b"])
  }

  @Test func `has both sides of a relationship converted`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    do {
      let container = try PersistentContainer(
        at: url, model: Pairs.Many.model(), durability: .none)
      try container.root.performAndWait { context in
        let owner = Pairs.Many.Owner(context: context)
        for _ in 0..<2 { Pairs.Many.Item(context: context).owner = owner }
        try context.save()
      }
    }
    func open(converting: Set<String>) throws -> PersistentContainer {
      let stage = try MigrationStage(
        "one", from: Pairs.Many.model(), to: Pairs.One.model(), converting: converting
      ) { migration in
        try migration.forEach("Owner") { former in
          let owner = try migration.context.existingObject(
            Pairs.One.Owner.self, with: former.objectID)
          guard let item = try former.members("items").first else { return }
          owner.items = try migration.context.existingObject(
            Pairs.One.Item.self, with: item.objectID)
        }
      }
      return try PersistentContainer(
        at: url, model: Pairs.One.model(), migratingWith: MigrationPlan(stage), durability: .none)
    }
    let error = try #require(throws: StoreError.self) { try open(converting: ["Owner.items"]) }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(found.map(\.property) == ["owner"])
    let container = try open(converting: ["Owner.items", "Item.owner"])
    try container.root.performAndWait { context in
      let owners = try context.fetch(Pairs.One.Item.all).map(\.owner)
      #expect(owners.count == 2 && owners.filter { $0 != nil }.count == 1)
      #expect(try context.fetch(Pairs.One.Owner.all)[0].items?.owner != nil)
    }
  }
}

/// Small models that differ in one point.
private enum Pairs {
  enum Former {
    @Entity
    final class Node: ManagedObject {
      var name: String
    }

    static func model() throws -> ManagedObjectModel { try .init(Node.self) }
  }

  enum Present {
    @Entity
    final class Node: ManagedObject {
      @Attribute(.unique) var name: String
    }

    static func model() throws -> ManagedObjectModel { try .init(Node.self) }
  }

  enum Many {
    @Entity
    final class Owner: ManagedObject {
      @Relationship(inverse: \Item.owner) var items: ToMany<Item>
    }

    @Entity
    final class Item: ManagedObject {
      var owner: Owner?
    }

    static func model() throws -> ManagedObjectModel { try .init(Owner.self, Item.self) }
  }

  enum One {
    @Entity
    final class Owner: ManagedObject {
      @Relationship(inverse: \Item.owner) var items: Item?
    }

    @Entity
    final class Item: ManagedObject {
      var owner: Owner?
    }

    static func model() throws -> ManagedObjectModel { try .init(Owner.self, Item.self) }
  }
}

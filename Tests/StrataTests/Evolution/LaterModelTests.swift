// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// Three models that differ in their indexes alone: each way between them can be inferred.
private enum First {
  @Entity
  final class Node: ManagedObject {
    var name: String
    var rank: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Node.self) }
}

private enum Second {
  @Entity
  final class Node: ManagedObject {
    @Attribute(.indexed) var name: String
    var rank: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Node.self) }
}

private enum Third {
  @Entity
  final class Node: ManagedObject {
    @Attribute(.indexed) var name: String
    @Attribute(.indexed) var rank: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Node.self) }
}

/// The third with another attribute.
private enum Fourth {
  @Entity
  final class Node: ManagedObject {
    @Attribute(.indexed) var name: String
    @Attribute(.indexed) var rank: Int = 0
    var note: String?
  }

  static func model() throws -> ManagedObjectModel { try .init(Node.self) }
}

/// The first with another attribute.
private enum Noted {
  @Entity
  final class Node: ManagedObject {
    var name: String
    var rank: Int = 0
    var note: String?
  }

  static func model() throws -> ManagedObjectModel { try .init(Node.self) }
}

/// A zone with a name in two parts, with a whole name, with an index of the names, and with a rank.
private enum Split {
  @Entity
  final class Zone: ManagedObject {
    var name: String?
    var first: String?
    var last: String?
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self) }
}

private enum Joined {
  @Entity
  final class Zone: ManagedObject {
    var name: String?
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self) }
}

private enum Indexed {
  @Entity
  final class Zone: ManagedObject {
    @Attribute(.indexed) var name: String?
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self) }
}

private enum Ranked {
  @Entity
  final class Zone: ManagedObject {
    @Attribute(.indexed) var name: String?
    var rank: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self) }
}

/// The names of the stages that were run.
private final class Runs: Sendable {
  private let names = Mutex<[String]>([])

  func stage(
    _ name: String, from: ManagedObjectModel, to: ManagedObjectModel, failing: Bool = false
  ) -> MigrationStage {
    MigrationStage(name, from: from, to: to) { _ in
      self.names.withLock { $0.append(name) }
      if failing { throw Stop() }
    }
  }

  func taken() -> [String] {
    names.withLock { names in
      defer { names = [] }
      return names
    }
  }

  struct Stop: Error {}
}

@Suite struct `A stage that a store has been through` {
  private let runs = Runs()

  private func open(
    _ url: URL, _ model: ManagedObjectModel, _ plan: MigrationPlan
  ) throws {
    _ = try PersistentContainer(at: url, model: model, migratingWith: plan, durability: .none)
  }

  @Test func `does not run again when the plan returns to an earlier model`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let (first, second, third) = (try First.model(), try Second.model(), try Third.model())
    func plan(failing: Bool) -> MigrationPlan {
      MigrationPlan(
        runs.stage("there", from: first, to: second), runs.stage("back", from: second, to: first),
        runs.stage("on", from: first, to: third, failing: failing))
    }
    do { _ = try PersistentContainer(at: url, model: first, durability: .none) }
    #expect(throws: Runs.Stop.self) { try open(url, third, plan(failing: true)) }
    #expect(runs.taken() == ["there", "back", "on"])
    try open(url, third, plan(failing: false))
    #expect(runs.taken() == ["on"])
  }

  @Test func `does not run again when the store has had inferred changes since`() throws {
    let folder = try TemporaryDirectory()
    let plan = MigrationPlan(runs.stage("one", from: try First.model(), to: try Second.model()))
    let url = folder.file("migrated")
    do { _ = try PersistentContainer(at: url, model: First.model(), durability: .none) }
    for model in [try Second.model(), try Third.model(), try Fourth.model()] {
      try open(url, model, plan)
    }
    #expect(runs.taken() == ["one"])
    // A store that was made with a later model, or with the model of the stage.
    for model in [try Third.model(), try Second.model()] {
      for openingCount in 1...2 {
        let url = folder.file("made \(UUID())")
        for _ in 0..<openingCount { try open(url, model, plan) }
        try open(url, Fourth.model(), plan)
        #expect(runs.taken() == [])
      }
    }
  }

  @Test func `does not run over the objects of a store that was made with a later model`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let plan = MigrationPlan(
      MigrationStage(
        "join", from: try Split.model(), to: try Joined.model(),
        removing: ["Zone.first", "Zone.last"]
      ) { migration in
        try migration.forEach("Zone") { former in
          let zone = try migration.context.existingObject(Joined.Zone.self, with: former.objectID)
          let parts = try ["first", "last"].map { try former.value($0, as: String.self) ?? "" }
          zone.name = parts.joined(separator: " ")
        }
      })
    do {
      let container = try PersistentContainer(
        at: url, model: Indexed.model(), migratingWith: plan, durability: .none)
      try container.root.performAndWait { context in
        Indexed.Zone(context: context).name = "Tehran"
        try context.save()
      }
    }
    let container = try PersistentContainer(
      at: url, model: Ranked.model(), migratingWith: plan, durability: .none)
    let names = try container.root.performAndWait { context in
      try context.fetch(Ranked.Zone.all).map(\.name)
    }
    #expect(names == ["Tehran"])
  }

  @Test func `runs again when a program without the plan has led the store back`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let plan = MigrationPlan(runs.stage("one", from: try First.model(), to: try Second.model()))
    for _ in 0..<2 {
      do { _ = try PersistentContainer(at: url, model: First.model(), durability: .none) }
      try open(url, Second.model(), plan)
      #expect(runs.taken() == ["one"])
    }
  }
}

@Suite struct `A stage that leads past the model of the program` {
  @Test func `does not run, though its first model alone can be inferred`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let runs = Runs()
    let (first, third, fourth) = (try First.model(), try Third.model(), try Fourth.model())
    let plan = MigrationPlan(
      runs.stage("to the note", from: first, to: fourth),
      runs.stage("from the note", from: fourth, to: third))
    do { _ = try PersistentContainer(at: url, model: Noted.model(), durability: .none) }
    _ = try PersistentContainer(
      at: url, model: first, migratingWith: plan, removing: ["Node.note"], durability: .none)
    #expect(runs.taken() == [])
  }
}

@Suite struct `A store that has a later model of a plan` {
  private func plan() throws -> MigrationPlan {
    try MigrationPlan(
      MigrationStage("to the second", from: First.model(), to: Second.model()) { _ in },
      MigrationStage("to the third", from: Second.model(), to: Third.model()) { _ in })
  }

  private func open(_ url: URL, _ model: ManagedObjectModel) throws -> PersistentContainer {
    try PersistentContainer(at: url, model: model, migratingWith: plan(), durability: .none)
  }

  @Test func `is refused by a program with an earlier one, also if the way back is inferable`()
    throws
  {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try open(url, First.model()).root.performAndWait { context in
      First.Node(context: context).name = "node"
      try context.save()
    }
    _ = try open(url, Third.model())
    let bytes = try Data(contentsOf: url)
    for model in [try First.model(), try Second.model()] {
      let error = try #require(throws: StoreError.self) { try open(url, model) }
      guard case .laterModel("to the third") = error else { throw error }
      #expect(
        "\(error)".contains("of, or after, the migration's stage \"to the third\""))
    }
    #expect {
      try plan().dryRun(onStoreAt: url, to: First.model())
    } throws: { if case StoreError.laterModel("to the third") = $0 { true } else { false } }
    #expect(try Data(contentsOf: url) == bytes)
    let names = try open(url, Third.model()).root.performAndWait { context in
      try context.fetch(Third.Node.where { $0.rank == 0 }).map(\.name)
    }
    #expect(names == ["node"])
  }

  @Test func `opens with an earlier one by inference, if no plan says that it is earlier`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    _ = try open(url, Third.model())
    let container = try PersistentContainer(at: url, model: First.model(), durability: .none)
    #expect(try container.root.performAndWait { try $0.count(First.Node.all) } == 0)
  }
}

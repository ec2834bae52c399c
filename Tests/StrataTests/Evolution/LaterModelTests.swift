// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
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
    for model in [try First.model(), try Second.model()] {
      let error = #expect(throws: StoreError.self) { try open(url, model) }
      guard case .laterModel("to the third")? = error else { throw error ?? .closed }
      #expect(
        "\(error ?? .closed)".contains("of, or after, the migration's stage \"to the third\""))
    }
    #expect(throws: StoreError.self) {
      try plan().dryRun(onStoreAt: url, to: First.model())
    }
    // It was not changed.
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

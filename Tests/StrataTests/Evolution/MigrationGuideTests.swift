// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private enum Former {
  @Entity
  final class Zone: ManagedObject {
    var name: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self) }
}

private enum Present {
  @Entity
  final class Zone: ManagedObject {
    var area: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Zone.self) }
}

/// The code of the guide Migrating.md, part by part.
@Suite struct `The migration guide` {
  private func makeStore(at url: URL) throws {
    let container = try PersistentContainer(at: url, model: Former.model())
    try container.root.performAndWait { context in
      Former.Zone(context: context).name = "Asia/Tehran"
      try context.save()
    }
  }

  @Test func `migrates a store in stages, and tries that on a copy`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeStore(at: url)
    // begin plan
    let plan = try MigrationPlan(
      MigrationStage(
        "split names", from: Former.model(), to: Present.model(),
        converting: ["Zone.area"], removing: ["Zone.name"]
      ) { migration in
        try migration.forEach("Zone") { former in
          let zone = try migration.context.existingObject(Present.Zone.self, with: former.objectID)
          let name = try former.value("name", as: String.self) ?? ""
          zone.area = String(name.prefix { $0 != "/" })
        }
      })
    let container = try PersistentContainer(at: url, model: Present.model(), migratingWith: plan)
    // end
    #expect(
      try await container.root.perform { try $0.fetch(Present.Zone.all).map(\.area) } == ["Asia"])
    // begin trying
    let report = try plan.dryRun(onStoreAt: url, to: Present.model())
    for stage in report.stages { print(stage.name, stage.updatedCount, stage.duration) }
    // end
    #expect(report.stages.isEmpty)
    let other = folder.file("other")
    try makeStore(at: other)
    #expect(try plan.dryRun(onStoreAt: other, to: Present.model()).stages[0].updatedCount == 1)
  }
}

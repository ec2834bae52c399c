// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import StrataTesting
import Testing

/// The model of an earlier version, whose zones have "area/place" as their name.
private enum Former {
  @Entity final class Zone: ManagedObject {
    var name: String
  }

  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Zone.self) }
}

private enum Present {
  @Entity final class Zone: ManagedObject {
    var name: String
    var area: String
  }

  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Zone.self) }

  static func plan() throws -> MigrationPlan {
    try MigrationPlan(
      MigrationStage("areas", from: Former.model(), to: model(), converting: ["Zone.area"]) {
        migration in
        try migration.forEach("Zone") { former in
          let zone = try migration.context.existingObject(Zone.self, with: former.objectID)
          zone.area = String(zone.name.prefix { $0 != "/" })
        }
      })
  }
}

private enum Wider {
  @Entity final class Zone: ManagedObject {
    var name: String
    var note: String?
  }

  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Zone.self) }
}

@Suite struct `A kept store` {
  private let folder: TemporaryDirectory
  private let url: URL
  private let golden: GoldenStore

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("zones.strata")
    golden = GoldenStore(at: url)
    let place = folder.file("made.strata")
    let made = try PersistentContainer(at: place, model: Former.model(), durability: .none)
    try made.root.performAndWait { context in
      for name in ["Asia/Tehran", "Europe/Rome"] { Former.Zone(context: context).name = name }
      try context.save()
    }
    try made.coordinator.backUp(to: url, compacting: true)
  }

  /// The names of the files beside the kept store.
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func `is migrated by a plan`() throws {
    let areas = try golden.withMigratedCopy(
      to: Present.model(), migratingWith: Present.plan()
    ) { container in
      try container.root.performAndWait { context in
        try context.fetch(Present.Zone.all.sorted(by: \.area)).map(\.area)
      }
    }
    #expect(areas == ["Asia", "Europe"])
  }

  @Test func `is migrated without a plan, if all changes are inferred`() async throws {
    let notes = try await golden.withMigratedCopy(to: Wider.model()) { container in
      try await container.root.perform { context in
        try context.fetch(Wider.Zone.all).map(\.note)
      }
    }
    #expect(notes == [nil, nil])
    #expect { try golden.withMigratedCopy(to: Present.model()) { _ in } } throws: {
      if case StoreError.modelMismatch = $0 { true } else { false }
    }
  }

  @Test func `stays as it was, byte for byte and without files beside it`() throws {
    let (bytes, names) = try (Data(contentsOf: url), files())
    try golden.withMigratedCopy(to: Present.model(), migratingWith: Present.plan()) { container in
      try container.root.performAndWait { context in
        for zone in try context.fetch(Present.Zone.all) { context.delete(zone) }
        try context.save()
      }
    }
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try files() == names)
    #expect(try golden.withMigratedCopy(to: Former.model()) { try count(in: $0) } == 2)
  }

  private func count(in container: PersistentContainer) throws -> Int {
    try container.root.performAndWait { try $0.count(Former.Zone.all) }
  }

  @Test func `may be a file that nobody may write to`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
    #expect(try golden.withMigratedCopy(to: Former.model()) { try count(in: $0) } == 2)
  }

  @Test func `leaves nothing in the folder for temporary files, also after an error`() throws {
    struct Refusal: Error {}
    var places: [String] = []
    #expect(throws: Refusal.self) {
      try golden.withMigratedCopy(to: Former.model()) { container in
        places = container.coordinator.stores.compactMap {
          $0.url?.deletingLastPathComponent().path
        }
        #expect(places.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        throw Refusal()
      }
    }
    #expect(places.count == 1 && places[0] != folder.url.path)
    #expect(!places.contains { FileManager.default.fileExists(atPath: $0) })
  }

  @Test func `that is missing is an error that names its path`() throws {
    let missing = GoldenStore(at: folder.file("none.strata"))
    let error = try #require(throws: StoreError.self) {
      try missing.withMigratedCopy(to: Former.model()) { _ in }
    }
    guard case .storeMissing(missing.url.path) = error else {
      Issue.record("\(error)")
      return
    }
  }
}

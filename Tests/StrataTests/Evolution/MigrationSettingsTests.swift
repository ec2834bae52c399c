// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

// A store that is opened with a plan has the settings of the opening, during the stages and after
// them.

private enum Before {
  @Entity final class Note: ManagedObject {
    var text: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Note.self) }
}

private enum After {
  @Entity final class Note: ManagedObject {
    var text: Data
  }

  static func model() throws -> ManagedObjectModel { try .init(Note.self) }
}

private let noteCount = 2_500

private func makeStore(at url: URL) throws {
  let container = try PersistentContainer(at: url, model: Before.model(), durability: .none)
  try container.root.performAndWait { context in
    for number in 0..<noteCount { Before.Note(context: context).text = "note \(number)" }
    try context.save()
  }
}

/// Gives each note this number of bytes.
private func plan(byteCount: Int) throws -> MigrationPlan {
  MigrationPlan(
    try MigrationStage(
      "bytes", from: Before.model(), to: After.model(), converting: ["Note.text"]
    ) { migration in
      try migration.forEach("Note") { former in
        try migration.context.existingObject(After.Note.self, with: former.objectID).text =
          Data(count: byteCount)
      }
    })
}

private func isStoreFull(_ error: any Error) -> Bool {
  if case StoreError.storeFull = error { true } else { false }
}

@Suite struct `Opening a store with a plan` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store")
    try makeStore(at: url)
  }

  @Test func `does not let a stage grow the file beyond its limit`() throws {
    // The values take 5 MB.
    let plan = try plan(byteCount: 2_000)
    #expect {
      try PersistentContainer(
        at: url, model: After.model(), migratingWith: plan, durability: .none,
        maximumByteCount: 1 << 20)
    } throws: { isStoreFull($0) }
    #expect {
      try plan.dryRun(onStoreAt: url, to: After.model(), maximumByteCount: 1 << 20)
    } throws: { isStoreFull($0) }
    let former = try PersistentContainer(at: url, model: Before.model(), durability: .none)
    let count = try former.root.performAndWait { try $0.count(Before.Note.all) }
    #expect(count == noteCount)
  }

  enum Opening: CaseIterable { case coordinator, container, asynchronous }

  @Test(arguments: Opening.allCases)
  func `leaves the file its limit`(_ opening: Opening) async throws {
    let (model, plan, byteCountMax) = (try After.model(), try plan(byteCount: 1), 1 << 24)
    let coordinator =
      switch opening {
      case .coordinator:
        try PersistentStoreCoordinator(
          at: url, model: model, migratingWith: plan, durability: .none,
          maximumByteCount: byteCountMax)
      case .container:
        try PersistentContainer(
          at: url, model: model, migratingWith: plan, durability: .none,
          maximumByteCount: byteCountMax
        ).coordinator
      case .asynchronous:
        try await PersistentContainer.open(
          at: url, model: model, migratingWith: plan, durability: .none,
          maximumByteCount: byteCountMax
        ).coordinator
      }
    let context = ManagedObjectContext(parent: coordinator)
    try #require(try context.first(After.Note.all)).text = Data(count: byteCountMax)
    #expect {
      try context.save()
    } throws: { isStoreFull($0) }
  }

  @Test func `gives the container its autosave`() async throws {
    let autosave = PersistentContainer.Autosave.afterEachPush(coalescingFor: .milliseconds(20))
    let container = try await PersistentContainer.open(
      at: url, model: After.model(), migratingWith: plan(byteCount: 1), durability: .none,
      autosave: autosave)
    #expect(container.autosave == autosave)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// An actor whose code goes on, after an `await`, on the thread that has done the work, before that
/// thread itself does.
private actor Prompt {
  private final class Executor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  private let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Has a store opened, releases it and destroys the file. The work may be done before the actor
  /// waits for it: then nothing is found, so there are many rounds.
  func destroy(
    _ url: URL,
    after work: @Sendable (isolated Prompt, Int) async throws -> PersistentContainer
  ) async throws {
    for round in 0..<50 {
      _ = try await work(self, round)
      try PersistentStoreCoordinator.destroyStore(at: url)
    }
  }
}

@Suite struct `A store that is released as soon as work on another thread is done` {
  private let folder: TemporaryDirectory
  private let url: URL
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store")
    model = try geographyModel()
  }

  private func open() throws -> PersistentContainer {
    try PersistentContainer(at: url, model: model, durability: .none)
  }

  @Test func `after a backup is not in use`() async throws {
    try await Prompt().destroy(url) { _, round in
      let container = try open()
      try await container.coordinator.backUp(to: folder.file("backup \(round)"))
      return container
    }
  }

  @Test func `after a backup whose progress handler holds it is not in use`() async throws {
    try await Prompt().destroy(url) { _, round in
      let container = try open()
      try await container.coordinator.backUp(to: folder.file("backup \(round)")) { _ in
        withExtendedLifetime(container) {}
      }
      return container
    }
  }

  @Test func `after a compaction is not in use`() async throws {
    try await Prompt().destroy(url) { _, _ in
      let container = try open()
      try await container.coordinator.compact()
      return container
    }
  }

  @Test func `after a migration is not in use`() async throws {
    try await Prompt().destroy(url) { _, _ in
      try await PersistentContainer.open(
        at: url, model: model, migratingWith: MigrationPlan(), durability: .none)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// Without a time to collect changes, so that saves are under way as often as they can be.
@Suite struct `A container that saves its root by itself, for long` {
  private let codes = Language.all.select(\.code)

  /// Has a container used, saves the rest, and returns the codes that the store has then. Records
  /// the failures that the container has reported until it was gone.
  private func codesSaved(by body: (PersistentContainer) async throws -> Void) async throws
    -> [String]
  {
    let folder = try TemporaryDirectory()
    let file = folder.file("geography.strata")
    for await failure in try await use(file, body) { Issue.record(failure) }
    let coordinator = try PersistentStoreCoordinator(
      at: file, model: geographyModel(), durability: .none)
    return try await coordinator.fetch(codes)
  }

  /// The container goes when this returns, and its failures end soon after that.
  private func use(
    _ file: URL, _ body: (PersistentContainer) async throws -> Void
  ) async throws -> AsyncStream<any Error> {
    let container = try PersistentContainer(
      at: file, model: geographyModel(), durability: .none,
      autosave: .afterEachPush(coalescingFor: .zero))
    try await body(container)
    try await container.flush()
    let unsaved = try await container.root.perform { $0.hasChanges }
    #expect(!unsaved)
    return container.autosaveFailures
  }

  @Test func `loses none of 10,000 pushes, and reports no failure`() async throws {
    let pushed = (0..<10_000).map { "\($0)" }
    let saved = try await codesSaved { container in
      let queue = container.newBackgroundContext()
      for code in pushed {
        try await queue.perform { context in
          Language(context: context).code = code
          try context.save()
        }
      }
    }
    #expect(saved.sorted() == pushed.sorted())
  }

  @Test func `loses no push of eight threads at once, and reports no failure`() async throws {
    let pushed = (0..<8).map { thread in (0..<500).map { "\(thread) \($0)" } }
    let errors = Mutex<[any Error]>([])
    let saved = try await codesSaved { container in
      performOnThreads(pushed.count) { thread in
        let queue = container.newBackgroundContext()
        for code in pushed[thread] {
          do {
            try queue.performAndWait { context in
              Language(context: context).code = code
              try context.save()
            }
          } catch { errors.withLock { $0.append(error) } }
        }
      }
    }
    for error in errors.withLock({ $0 }) { Issue.record(error) }
    #expect(saved.sorted() == pushed.joined().sorted())
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// Tells an iteration of `LiveValues` that objects which it reads may have changed.
///
/// It has a context of its own below the context that is followed, or below the coordinator, which
/// merges all changes and reports them as it does to fetched lists.
///
/// ## Isolation
/// The iterator's.
struct ChangeFollower {
  private let queue: ContextQueue
  private let report: ChangeReport
  private var changes: AsyncStream<Void>.Iterator

  /// Follows the changes from now on.
  ///
  /// - Parameter entities: the entities of the objects that matter; nil for all.
  /// - Throws: the errors of `entities`; `StoreError` if the store cannot be read.
  init(
    _ parent: any ContextParent,
    _ entities: @escaping @Sendable (ManagedObjectContext) throws -> Set<EntityNumber>?,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let observers = NotificationObservers()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    changes = stream.makeAsyncIterator()
    continuation.onTermination = { [observers] _ in observers.remove() }
    queue = ContextQueue(parent: parent)
    if let layer = parent.place.layer {
      layer.noteListener()
      observers.add(ContextLayer.contextGone, of: layer) { _ in continuation.finish() }
      if layer.isContextGone { continuation.finish() }
    }
    report = try await queue.perform(isolation: isolation) { context in
      let report = ChangeReport(of: try entities(context), to: continuation)
      context.automaticallyMergesChangesFromParent = true
      // Changes are reported from this view on.
      _ = try context.fetcher.shownView()
      context.reporter.liveResults.add(report)
      return report
    }
  }

  /// Waits for a change since the last call.
  ///
  /// - Returns: false if the context is gone or the task was cancelled.
  mutating func nextChange(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await changes.next(isolation: isolation) != nil
  }
}

/// Passes on that one of certain entities' objects has changed.
///
/// ## Isolation
/// Sendable: constant.
private final class ChangeReport: LiveResults, Sendable {
  private let entities: Set<EntityNumber>?
  private let changes: AsyncStream<Void>.Continuation

  init(of entities: Set<EntityNumber>?, to changes: AsyncStream<Void>.Continuation) {
    (self.entities, self.changes) = (entities, changes)
  }

  deinit { changes.finish() }

  func contextDidChange(_ changes: LiveChanges) {
    if concerns(changes) { self.changes.yield() }
  }

  private func concerns(_ changes: LiveChanges) -> Bool {
    guard !changes.isUnknown, changes.reset == nil, let entities else { return true }
    return changes.keys.contains { entities.contains($0.entity) }
      || changes.suspects.contains { entities.contains($0.entity) }
  }
}

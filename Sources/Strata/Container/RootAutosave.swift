// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataStore

extension PersistentContainer {
  /// When a container saves its root to the disk by itself.
  public enum Autosave: Sendable, Hashable {
    /// Never: the program saves the root.
    case manual
    /// After each save of a child to the root, and after each turn in which the root itself was
    /// changed. A save that fails is not repeated until the next change; see `autosaveFailures`.
    ///
    /// - Parameter coalescingFor: the time between the first such change and the save, in which
    ///   further changes are collected. `.zero` saves at once; changes that come during a save are
    ///   collected anyway.
    case afterEachPush(coalescingFor: Duration)
  }
}

/// Saves the root of a container after changes.
///
/// ## Lifetime
/// Its task ends when the root is deallocated. A change keeps the root until the save after it has
/// ended, so the container may go in between.
///
/// ## Isolation
/// Sendable.
final class RootAutosave: Sendable {
  /// The errors of saves: the last ones, for one consumer.
  let failures: AsyncStream<any Error>

  /// The number of errors that are kept for a slow consumer.
  private static let failureCountMax = 16

  init(of root: ContextQueue, after interval: Duration) {
    let (failures, failed) = AsyncStream.makeStream(
      of: (any Error).self, bufferingPolicy: .bufferingNewest(Self.failureCountMax))
    self.failures = failures
    // An element keeps the root.
    let (changes, change) = AsyncStream.makeStream(
      of: ContextQueue.self, bufferingPolicy: .bufferingNewest(1))
    let observers = NotificationObservers()
    root.onArrival { change.yield($0) }
    root.layer.noteListener()
    observers.add(ManagedObjectContext.objectsDidChangeNotification, of: root.layer) {
      [weak root] _ in
      if let root { change.yield(root) }
    }
    observers.add(ContextLayer.contextGone, of: root.layer) { _ in change.finish() }
    // Detached: the saves are not part of the task that opens the container.
    Task.detached {
      var hasFailed = false
      for await root in changes {
        do {
          if interval > .zero { try await Task.sleep(for: interval) }
          try await root.save()
          hasFailed = false
        } catch {
          failed.yield(error)
          if !hasFailed { Self.warn(of: error) }
          hasFailed = true
        }
      }
      failed.finish()
      observers.remove()
    }
  }

  /// Logs the first failure after a success, for programs that do not read `failures`.
  private static func warn(of error: any Error) {
    StrataLog.log(
      StrataLog.Message(
        .warning,
        "A container could not save its root by itself. The changes stay in the root, and are "
          + "saved with the next ones. Read autosaveFailures, and remove the cause.",
        metadata: ["error": ErrorExplanation(ofCause: error, in: "autosaveFailures").text]))
  }
}

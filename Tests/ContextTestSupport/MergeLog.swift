// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import Strata
import Synchronization

/// Collects the objectsDidChange messages of one context, and waits for them.
package final class MergeLog: Sendable {
  // Safety: the token is only handed back to the notification centre.
  private struct Token: @unchecked Sendable { let observer: any NSObjectProtocol }

  private final class Collected: Sendable {
    let entries = Mutex<[ManagedObjectContext.Message]>([])
  }

  private let collected = Collected()
  private let token: Token
  private let stream: AsyncStream<ManagedObjectContext.Message>

  package init(
    _ layer: ContextLayer,
    name: Notification.Name = ManagedObjectContext.objectsDidChangeNotification
  ) {
    let (stream, continuation) = AsyncStream<ManagedObjectContext.Message>.makeStream()
    self.stream = stream
    token = Token(
      observer: NotificationCenter.default.addObserver(forName: name, object: layer, queue: nil) {
        [collected] in
        guard let message = ManagedObjectContext.Message($0) else { return }
        collected.entries.withLock { $0.append(message) }
        continuation.yield(message)
      })
  }

  deinit { NotificationCenter.default.removeObserver(token.observer) }

  package var messages: [ManagedObjectContext.Message] { collected.entries.withLock { $0 } }

  /// All that was told, together.
  package var inserted: Set<ObjectID> {
    messages.reduce(into: []) { $0.formUnion($1.objects.inserted) }
  }
  package var refreshed: Set<ObjectID> {
    messages.reduce(into: []) { $0.formUnion($1.objects.refreshed) }
  }
  package var deleted: Set<ObjectID> {
    messages.reduce(into: []) { $0.formUnion($1.objects.deleted) }
  }

  /// Waits for a message that says so.
  package func first(
    where isWanted: @Sendable (ManagedObjectContext.Message) -> Bool
  ) async -> ManagedObjectContext.Message? {
    for await message in stream where isWanted(message) { return message }
    return nil
  }
}

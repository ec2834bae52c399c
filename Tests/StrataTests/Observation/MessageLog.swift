// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Synchronization

/// Collects the messages that a context posts as notifications.
final class MessageLog: Sendable {
  private let entries = Mutex<[ManagedObjectContext.Message]>([])
  private let observers = Mutex<[Observer]>([])

  init(_ layer: ContextLayer) {
    for kind in ManagedObjectContext.Message.Kind.allCases {
      let observer = Observer(kind, of: layer) { [weak self] message in
        self?.entries.withLock { $0.append(message) }
      }
      observers.withLock { $0.append(observer) }
    }
  }

  var messages: [ManagedObjectContext.Message] { entries.withLock { $0 } }
  var kinds: [ManagedObjectContext.Message.Kind] { messages.map(\.kind) }

  func messages(_ kind: ManagedObjectContext.Message.Kind) -> [ManagedObjectContext.Message] {
    messages.filter { $0.kind == kind }
  }
}

/// Observes one kind of notification as long as it is held.
final class Observer: Sendable {
  // Safety: the token is only handed back to the notification centre.
  private struct Token: @unchecked Sendable { let observer: any NSObjectProtocol }

  private let token: Token

  init(
    _ kind: ManagedObjectContext.Message.Kind, of layer: ContextLayer,
    _ body: @escaping @Sendable (ManagedObjectContext.Message) -> Void
  ) {
    token = Token(
      observer: NotificationCenter.default.addObserver(
        forName: kind.notificationName, object: layer, queue: nil
      ) { notification in
        if let message = ManagedObjectContext.Message(notification) { body(message) }
      })
  }

  deinit { NotificationCenter.default.removeObserver(token.observer) }
}

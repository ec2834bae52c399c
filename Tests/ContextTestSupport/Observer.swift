// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Strata

/// Observes one kind of notification as long as it is held.
package final class Observer: Sendable {
  // Safety: the token is only handed back to the notification centre.
  private struct Token: @unchecked Sendable { let observer: any NSObjectProtocol }

  private let token: Token

  package init(
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

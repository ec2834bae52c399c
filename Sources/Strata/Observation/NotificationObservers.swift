// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataPrimitives

/// The observers of one sequence, which are removed together.
///
/// ## Isolation
/// Sendable: they may be removed while one is added, which is removed at once then.
final class NotificationObservers: Sendable {
  // Safety: the token is only handed back to the notification centre.
  private struct Token: @unchecked Sendable { let observer: any NSObjectProtocol }

  private struct State {
    var tokens: [Token] = []
    var isRemoved = false
  }

  private let state = CountedMutex(State())

  func add(
    _ name: Notification.Name, of layer: ContextLayer,
    _ body: @escaping @Sendable (Notification) -> Void
  ) {
    let token = Token(
      observer: NotificationCenter.default.addObserver(
        forName: name, object: layer, queue: nil, using: body))
    let isLate = state.withLock { state in
      if !state.isRemoved { state.tokens.append(token) }
      return state.isRemoved
    }
    if isLate { NotificationCenter.default.removeObserver(token.observer) }
  }

  func remove() {
    let tokens = state.withLock { state in
      state.isRemoved = true
      defer { state.tokens = [] }
      return state.tokens
    }
    for token in tokens { NotificationCenter.default.removeObserver(token.observer) }
  }
}

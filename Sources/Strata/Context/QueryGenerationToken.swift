// SPDX-License-Identifier: Apache-2.0
import StrataChanges

/// One state beneath a context: its ancestors' published changes and the store, as of one moment. A
/// context that is pinned to it reads that state, whatever others save. Core Data:
/// `NSQueryGenerationToken`.
///
/// It is taken from a pinned context, `context.queryGenerationToken`, and may be given to any
/// context that has the same parent. Equal tokens are the same state.
///
/// ## Lifetime
/// A token retains its state: as long as it exists, the store cannot reuse the pages that saves
/// have replaced, and its file grows.
public struct QueryGenerationToken: Sendable {
  /// Nil for whatever state is the newest when the token is given to a context.
  let pin: Pin?

  /// The state that is the newest when the token is given to a context.
  /// Core Data: `NSQueryGenerationToken.current`.
  public static let current = QueryGenerationToken(pin: nil)
}

extension QueryGenerationToken: Hashable {
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
    left.pin === right.pin
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(pin.map(ObjectIdentifier.init)) }
}

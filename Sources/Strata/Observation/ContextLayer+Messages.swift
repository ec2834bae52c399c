// SPDX-License-Identifier: Apache-2.0
import Foundation
public import StrataChanges
import StrataPrimitives

extension ContextLayer {
  /// How many messages a sequence holds for a consumer that is slower than the context.
  public static let messageCountMax = 1_024

  /// The messages of the layer's context, in the order in which they are posted, from now on.
  ///
  /// ```swift
  /// for await message in queue.layer.messages(.didSave) { show(message.objects.updated) }
  /// ```
  ///
  /// The context does not wait for the consumer: messages are held until they are taken, and of
  /// more than `limit` the oldest are dropped, which `Message.number` tells. A message that is held
  /// keeps IDs and the names of properties, no records. The sequence ends when the context is gone;
  /// it is for one consumer.
  ///
  /// - Parameters:
  ///   - kinds: which messages; all of them if none is named.
  ///   - limit: how many messages are held at most; at least 1.
  public func messages(
    _ kinds: ManagedObjectContext.Message.Kind..., limit: Int = ContextLayer.messageCountMax
  ) -> AsyncStream<ManagedObjectContext.Message> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ManagedObjectContext.Message.self,
      bufferingPolicy: .bufferingNewest(max(1, limit)))
    let observers = Observers()
    continuation.onTermination = { _ in observers.remove() }
    noteListener()
    let wanted =
      kinds.isEmpty ? ManagedObjectContext.Message.Kind.allCases : Array(Set(kinds))
    for kind in wanted {
      observers.add(kind.notificationName, of: self) { notification in
        guard let message = ManagedObjectContext.Message(notification) else { return }
        message.objects.resolve()
        continuation.yield(message)
      }
    }
    observers.add(Self.contextGone, of: self) { _ in continuation.finish() }
    // It may have gone before its going was listened for.
    if isContextGone { continuation.finish() }
    return stream
  }

  /// Posted for the sequences alone.
  static let contextGone = Notification.Name("StrataContextGone")

  /// Ends the sequences: the context is going.
  func endMessages() {
    noteContextGone()
    if hasListeners { NotificationCenter.default.post(name: Self.contextGone, object: self) }
  }
}

/// The observers of one sequence, which go together.
private final class Observers: Sendable {
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

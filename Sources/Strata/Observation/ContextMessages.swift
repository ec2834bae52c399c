// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataPrimitives

extension ManagedObjectContext {
  /// How many messages a sequence holds for a consumer that is slower than the context.
  public static var messageCountMax: Int { 1_024 }

  /// The messages of the context, in the order in which they are posted, from now on.
  ///
  /// ```swift
  /// for await message in context.messages(.didSave) { show(message.objects.updated) }
  /// ```
  ///
  /// The context does not wait for the consumer: messages are held until they are taken, and of
  /// more than `limit` the oldest are dropped, which `Message.number` tells. A message that is held
  /// keeps IDs and the names of properties, no records. The sequence ends when the context is
  /// deallocated; it is for one consumer.
  ///
  /// - Parameters:
  ///   - kinds: the kinds of messages; all kinds if none is named.
  ///   - limit: the number of messages that are held at most, at least 1.
  public func messages(
    _ kinds: Message.Kind..., limit: Int = messageCountMax
  ) -> AsyncStream<Message> {
    layer.messages(kinds, limit: limit)
  }
}

extension ContextQueue {
  /// The messages of the queue's context, in the order in which they are posted, from now on.
  ///
  /// ```swift
  /// for await message in queue.messages(.didSave) { show(message.objects.updated) }
  /// ```
  ///
  /// The context does not wait for the consumer: messages are held until they are taken, and of
  /// more than `limit` the oldest are dropped, which `Message.number` tells. The sequence ends when
  /// the queue is deallocated; it is for one consumer.
  ///
  /// - Parameters:
  ///   - kinds: the kinds of messages; all kinds if none is named.
  ///   - limit: the number of messages that are held at most, at least 1.
  public func messages(
    _ kinds: ManagedObjectContext.Message.Kind...,
    limit: Int = ManagedObjectContext.messageCountMax
  ) -> AsyncStream<ManagedObjectContext.Message> {
    layer.messages(kinds, limit: limit)
  }
}

extension ContextLayer {
  /// The messages of the layer's context, as `ManagedObjectContext.messages(_:limit:)` describes.
  ///
  /// - Parameter kinds: all kinds if it is empty.
  package func messages(
    _ kinds: [ManagedObjectContext.Message.Kind], limit: Int
  ) -> AsyncStream<ManagedObjectContext.Message> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ManagedObjectContext.Message.self,
      bufferingPolicy: .bufferingNewest(max(1, limit)))
    let observers = NotificationObservers()
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

  /// Posted only for the sequences.
  static let contextGone = Notification.Name("StrataContextGone")

  /// Ends the sequences: the context is going.
  func endMessages() {
    noteContextGone()
    if hasListeners { NotificationCenter.default.post(name: Self.contextGone, object: self) }
  }
}

// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataChanges

// The context's notifications as messages that `NotificationCenter` delivers typed:
//
//     let token = NotificationCenter.default.addObserver(of: queue.layer, for: .didSave) {
//       print($0.message.objects.inserted)
//     }
//
// An asynchronous observer runs in a task of its own, after the turn that posted the message; so it
// may enter any context. An observer on the main actor runs at once, within the turn; only contexts
// of the main actor post to it. On Linux Foundation does not carry a typed message to observers of
// the notification or the other way round, so both are posted there.

/// Which of a context's messages a type is for.
public protocol ContextMessageKind: Sendable {
  static var kind: ManagedObjectContext.Message.Kind { get }
}

extension ManagedObjectContext {
  public enum ObjectsDidChange: ContextMessageKind {
    public static var kind: Message.Kind { .objectsDidChange }
  }

  public enum WillSave: ContextMessageKind {
    public static var kind: Message.Kind { .willSave }
  }

  public enum DidSave: ContextMessageKind {
    public static var kind: Message.Kind { .didSave }
  }

  public enum DidMerge: ContextMessageKind {
    public static var kind: Message.Kind { .didMerge }
  }
}

/// A message of a context, for asynchronous observers; its subject is the context's layer. Each
/// observer gets the messages in the order in which they were posted.
@available(macOS 26, iOS 26, *)
public struct ContextMessage<Kind: ContextMessageKind>: NotificationCenter.AsyncMessage {
  public typealias Subject = Layer

  public static var name: Notification.Name { Kind.kind.notificationName }

  public let message: ManagedObjectContext.Message

  public static func makeMessage(_ notification: Notification) -> Self? {
    ManagedObjectContext.Message(notification).map { Self(posting: $0) }
  }

  fileprivate init(posting message: ManagedObjectContext.Message) { self.message = message }
}

/// A message of a context of the main actor, for observers there, which run before the context goes
/// on. A context that is not the main actor's posts none.
@available(macOS 26, iOS 26, *)
public struct MainContextMessage<Kind: ContextMessageKind>: NotificationCenter.MainActorMessage {
  public typealias Subject = Layer

  public static var name: Notification.Name {
    Notification.Name(Kind.kind.notificationName.rawValue + "OnMainActor")
  }

  public let message: ManagedObjectContext.Message

  fileprivate init(posting message: ManagedObjectContext.Message) { self.message = message }
}

// MARK: - Identifiers

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    ContextMessage<ManagedObjectContext.ObjectsDidChange>
  >
{
  public static var objectsDidChange: Self { .init() }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<ContextMessage<ManagedObjectContext.WillSave>>
{
  public static var willSave: Self { .init() }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<ContextMessage<ManagedObjectContext.DidSave>>
{
  public static var didSave: Self { .init() }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<ContextMessage<ManagedObjectContext.DidMerge>>
{
  public static var didMerge: Self { .init() }
}

// MARK: - Posting

extension ManagedObjectContext {
  func postTyped(_ message: Message) {
    guard #available(macOS 26, iOS 26, *) else { return }
    switch message.kind {
    case .objectsDidChange: post(message, as: ObjectsDidChange.self)
    case .willSave: post(message, as: WillSave.self)
    case .didSave: post(message, as: DidSave.self)
    case .didMerge: post(message, as: DidMerge.self)
    }
  }

  @available(macOS 26, iOS 26, *)
  private func post<Kind: ContextMessageKind>(_ message: Message, as _: Kind.Type) {
    #if !canImport(Darwin)
      NotificationCenter.default.post(ContextMessage<Kind>(posting: message), subject: layer)
    #endif
    guard confinement == .mainActor else { return }
    let layer = layer
    MainActor.assumeIsolated {
      NotificationCenter.default.post(MainContextMessage<Kind>(posting: message), subject: layer)
    }
  }
}

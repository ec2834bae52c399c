// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataChanges
import Synchronization

// The context's notifications as messages that `NotificationCenter` delivers typed:
//
//     let token = NotificationCenter.default.addObserver(of: queue.layer, for: .didSave) {
//       print($0.message.objects.inserted)
//     }
//
// An asynchronous observer runs in a task of its own, after the turn that posted the message; so it
// may enter any context. An observer on the main actor runs at once, within the turn; only contexts
// of the main actor post to it.
//
// On Linux, Foundation does not carry a notification to observers of the typed message, so that has
// to be posted beside it; and a program with an observer of all names (`forName: nil`) traps in
// Foundation whenever any typed message is posted. Therefore a kind is posted typed only once
// somebody has taken its identifier, `.didSave` and so on: nobody pays or traps for what only others
// use.

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
///
/// - Important: Observe it by its identifier, `.didSave` and so on, not by naming the type.
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
///
/// - Important: Observe it by its identifier, `.didSaveOnMainActor` and so on, not by naming the type.
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
  public static var objectsDidChange: Self {
    TypedObservers.expect(.objectsDidChange, onMainActor: false)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<ContextMessage<ManagedObjectContext.WillSave>>
{
  public static var willSave: Self {
    TypedObservers.expect(.willSave, onMainActor: false)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<ContextMessage<ManagedObjectContext.DidSave>>
{
  public static var didSave: Self {
    TypedObservers.expect(.didSave, onMainActor: false)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<ContextMessage<ManagedObjectContext.DidMerge>>
{
  public static var didMerge: Self {
    TypedObservers.expect(.didMerge, onMainActor: false)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    MainContextMessage<ManagedObjectContext.ObjectsDidChange>
  >
{
  public static var objectsDidChangeOnMainActor: Self {
    TypedObservers.expect(.objectsDidChange, onMainActor: true)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    MainContextMessage<ManagedObjectContext.WillSave>
  >
{
  public static var willSaveOnMainActor: Self {
    TypedObservers.expect(.willSave, onMainActor: true)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<MainContextMessage<ManagedObjectContext.DidSave>>
{
  public static var didSaveOnMainActor: Self {
    TypedObservers.expect(.didSave, onMainActor: true)
    return .init()
  }
}

@available(macOS 26, iOS 26, *)
extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    MainContextMessage<ManagedObjectContext.DidMerge>
  >
{
  public static var didMergeOnMainActor: Self {
    TypedObservers.expect(.didMerge, onMainActor: true)
    return .init()
  }
}

// MARK: - Posting

/// Which typed messages anybody in the process may observe: those whose identifier was taken.
private enum TypedObservers {
  private static let expected = Atomic<UInt8>(0)

  private static func bit(
    _ kind: ManagedObjectContext.Message.Kind, _ isOnMainActor: Bool
  ) -> UInt8 {
    let index: UInt8 =
      switch kind {
      case .objectsDidChange: 0
      case .willSave: 1
      case .didSave: 2
      case .didMerge: 3
      }
    return 1 << (isOnMainActor ? index + 4 : index)
  }

  static func expect(_ kind: ManagedObjectContext.Message.Kind, onMainActor: Bool) {
    expected.bitwiseOr(bit(kind, onMainActor), ordering: .sequentiallyConsistent)
  }

  static func mayBe(_ kind: ManagedObjectContext.Message.Kind, onMainActor: Bool) -> Bool {
    expected.load(ordering: .sequentiallyConsistent) & bit(kind, onMainActor) != 0
  }
}

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
      if TypedObservers.mayBe(message.kind, onMainActor: false) {
        NotificationCenter.default.post(ContextMessage<Kind>(posting: message), subject: layer)
      }
    #endif
    guard confinement == .mainActor, TypedObservers.mayBe(message.kind, onMainActor: true)
    else { return }
    let layer = layer
    MainActor.assumeIsolated {
      NotificationCenter.default.post(MainContextMessage<Kind>(posting: message), subject: layer)
    }
  }
}

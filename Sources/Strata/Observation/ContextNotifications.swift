// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
import StrataModel
import StrataRecord

// The notifications of a context. They are posted to `NotificationCenter.default`, within the
// context's isolation; their object is the context's layer, which is `Sendable`, as their content
// is. An observer that needs the objects asks its own context for them, by ID.
//
// The same messages come as an asynchronous sequence, too (Layer+Messages.swift).

extension ManagedObjectContext {
  /// Posted at the end of a turn in which objects were inserted, updated, deleted or refreshed, and
  /// once for each integrated save of a child. Core Data: `NSManagedObjectContextObjectsDidChange`.
  public static let objectsDidChangeNotification = Notification.Name(
    "StrataContextObjectsDidChange")

  /// Posted when a save begins. Changes that an observer makes are saved too. Core Data:
  /// `NSManagedObjectContextWillSave`.
  public static let willSaveNotification = Notification.Name("StrataContextWillSave")

  /// Posted when a save has succeeded: handed to the parent, or on the disk.
  /// Core Data: `NSManagedObjectContextDidSave`.
  public static let didSaveNotification = Notification.Name("StrataContextDidSave")

  /// Posted when changes that others have saved were merged into the context's objects, after the
  /// objectsDidChange with the same content.
  /// Core Data: `NSManagedObjectContextDidMergeChangesObjectIDs`.
  public static let didMergeNotification = Notification.Name("StrataContextDidMerge")

  /// The content of a context's notification.
  public struct Message: Sendable {
    /// The moments at which a context posts a message.
    public enum Kind: Sendable, Hashable, CaseIterable {
      /// A turn ended in which objects changed, or a child's save was integrated.
      case objectsDidChange
      /// A save begins.
      case willSave
      /// A save has succeeded.
      case didSave
      /// Saves of others were merged into the context's objects.
      case didMerge

      /// The notification that is posted then.
      public var notificationName: Notification.Name {
        switch self {
        case .objectsDidChange: objectsDidChangeNotification
        case .willSave: willSaveNotification
        case .didSave: didSaveNotification
        case .didMerge: didMergeNotification
        }
      }
    }

    /// The moment at which the message was posted.
    public let kind: Kind
    /// The 1-based sequence number within this kind of message of its context. A gap means that a
    /// message was dropped.
    public let number: Int
    /// The `name` of the context, if it has one.
    public let contextName: String?
    /// The `transactionAuthor` of the context, if it has one.
    public let transactionAuthor: String?
    /// The changed objects; in a message of `.willSave`, the objects that are about to be saved.
    public let objects: ChangedObjects
  }
}

// MARK: - In a notification

extension ManagedObjectContext.Message {
  /// The message of a notification that a context posted; nil for any other.
  public init?(_ notification: Notification) {
    guard let content = notification.userInfo?[Self.userInfoKey] as? Content else { return nil }
    self = content.message
  }

  /// The `userInfo` of the notification that carries this message.
  ///
  /// Every turn and save makes one, mostly without an observer. A mapped dictionary keeps its
  /// layout, so the key is neither hashed nor copied.
  var userInfo: [AnyHashable: Any] {
    let content = Content(self)
    return Self.userInfoOfNone.mapValues { _ in content }
  }

  private static let userInfoKey = "StrataContextMessage"
  // Safety: it never changes, and its key and value are constants.
  private nonisolated(unsafe) static let userInfoOfNone: [AnyHashable: Any] = [userInfoKey: ()]

  /// A message as one reference: a larger value would be boxed for the dictionary, and for each
  /// copy of it.
  private final class Content: Sendable {
    let message: ManagedObjectContext.Message

    init(_ message: ManagedObjectContext.Message) { self.message = message }
  }

  /// How many messages of each kind a context has posted.
  struct Counts {
    private var objectsDidChange = 0
    private var willSave = 0
    private var didSave = 0
    private var didMerge = 0

    /// Counts one more.
    mutating func next(of kind: Kind) -> Int {
      switch kind {
      case .objectsDidChange: Self.next(&objectsDidChange)
      case .willSave: Self.next(&willSave)
      case .didSave: Self.next(&didSave)
      case .didMerge: Self.next(&didMerge)
      }
    }

    private static func next(_ count: inout Int) -> Int {
      count += 1
      return count
    }
  }
}

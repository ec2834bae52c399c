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
      case objectsDidChange, willSave, didSave, didMerge

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

    public let kind: Kind
    /// The 1-based sequence number within this kind of message of its context. A gap means that a
    /// message was dropped.
    public let number: Int
    /// The `name` of the context, if it has one.
    public let contextName: String?
    /// The `transactionAuthor` of the context, if it has one.
    public let transactionAuthor: String?
    public let objects: ChangedObjects

    static let userInfoKey = "StrataContextMessage"
  }
}

extension ManagedObjectContext.Message {
  /// The message of a notification that a context posted; nil for any other.
  public init?(_ notification: Notification) {
    guard let message = notification.userInfo?[Self.userInfoKey] as? Self else { return nil }
    self = message
  }
}

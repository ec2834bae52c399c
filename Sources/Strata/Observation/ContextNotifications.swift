// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
import StrataModel

// The three notifications of a context. They are posted to `NotificationCenter.default`, within the
// context's isolation; their object is the context's layer, which is `Sendable`, as is all that they
// carry. An observer that wants the objects asks its own context for them, by ID.

extension ManagedObjectContext {
  /// Posted at the end of a turn in which objects were inserted, updated or deleted, and once for
  /// each child's save that landed. Core Data: `NSManagedObjectContextObjectsDidChange`.
  public static let objectsDidChangeNotification = Notification.Name(
    "StrataContextObjectsDidChange")

  /// Posted when a save begins. Core Data: `NSManagedObjectContextWillSave`.
  public static let willSaveNotification = Notification.Name("StrataContextWillSave")

  /// Posted when a save has succeeded: handed to the parent, or on the disk.
  /// Core Data: `NSManagedObjectContextDidSave`.
  public static let didSaveNotification = Notification.Name("StrataContextDidSave")

  /// What a context's notification says.
  public struct Message: Sendable {
    /// The `name` of the context, if it has one.
    public let contextName: String?
    public let objects: ChangedObjects

    static let userInfoKey = "StrataContextMessage"

    /// The message of a notification that a context posted; nil for any other.
    public init?(_ notification: Notification) {
      guard let message = notification.userInfo?[Self.userInfoKey] as? Message else { return nil }
      self = message
    }

    init(contextName: String?, objects: ChangedObjects) {
      self.contextName = contextName
      self.objects = objects
    }
  }
}

// MARK: - Posting

/// The two notifications of a save.
enum SaveNotification {
  case willSave, didSave
}

extension ManagedObjectContext {
  /// Posts one objectsDidChange for each list that is not empty.
  func announce(_ turns: [TurnChanges]) {
    for turn in turns where !turn.isEmpty {
      post(
        Self.objectsDidChangeNotification,
        ChangedObjects(
          store: schema.store, inserted: turn.inserted, updated: turn.updated,
          deleted: turn.deleted, refreshed: turn.refreshed))
    }
  }

  /// Posts what the turn has changed so far.
  func announceTurn() {
    let changes = turn
    turn = TurnChanges()
    announce([changes])
  }

  func post(_ notification: SaveNotification, for saved: Overlay) {
    var inserted: [ObjectKey] = []
    var updated: [ObjectKey] = []
    var deleted: [ObjectKey] = []
    for (key, change) in saved.changes {
      switch change.kind {
      case .insert: inserted.append(key)
      case .update: updated.append(key)
      case .delete where change.base != nil: deleted.append(key)
      case .delete: continue
      }
    }
    for place in saved.links.byPlace.keys { updated.append(place.owner) }
    post(
      notification == .willSave ? Self.willSaveNotification : Self.didSaveNotification,
      ChangedObjects(store: schema.store, inserted: inserted, updated: updated, deleted: deleted))
  }

  private func post(_ name: Notification.Name, _ objects: ChangedObjects) {
    NotificationCenter.default.post(
      name: name, object: layer,
      userInfo: [Message.userInfoKey: Message(contextName: self.name, objects: objects)])
  }
}

// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// Receives the changes of a fetched results controller's list, within its context's isolation.
/// Core Data: `NSFetchedResultsControllerDelegate`.
///
/// For each change, in this order:
/// 1. `controllerWillChangeContent`;
/// 2. each deleted section, then each inserted one;
/// 3. each object that was deleted, inserted, moved, or updated in place, objects of deleted and
///    inserted sections included;
/// 4. `controllerDidChangeContent`, and then the two forms of the whole change.
///
/// `FetchedResultsDifference` says which list an index path refers to, and how the changes are
/// applied. The controller shows the new list from the first call on, as in Core Data.
///
/// All methods have an implementation that does nothing: implement the ones you need. A change of
/// the list that happens while the delegate is being notified is reported afterwards.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the objects in the list.
  associatedtype Object: Entity

  /// The list has changed, and the changes are about to be reported.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// A section came (`.insert`, at its index in the new list) or went (`.delete`, in the old one).
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection name: String?,
    atIndex index: Int, for type: FetchedResultsChangeType)

  /// An object came, went, moved or changed.
  ///
  /// - Parameters:
  ///   - controller: the controller of the list.
  ///   - id: the object. One that went may be deleted.
  ///   - indexPath: its place in the old list; nil if it came.
  ///   - type: the kind of the change.
  ///   - newIndexPath: its place in the new list; nil if it went.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject id: ObjectID,
    at indexPath: FetchedIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: FetchedIndexPath?)

  /// All changes have been reported.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

  /// Called after `controllerDidChangeContent(_:)` with the whole change as a difference.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith difference: FetchedResultsDifference)

  /// The list after the change as a value.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// The list could not be brought up to date and is as it was; `error` is the controller's, too.
  func controller(
    _ controller: FetchedResultsController<Object>, didFailWith error: any Error)

  /// The title of a section in an index beside the list: the first character of its name, in upper
  /// case, if this is not implemented. Nil for none.
  func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String?
}

/// The kind of a change of an object or a section. Core Data: `NSFetchedResultsChangeType`.
public enum FetchedResultsChangeType: Sendable, Hashable {
  /// The object or the section is new in the list.
  case insert
  /// The object or the section is no longer in the list.
  case delete
  /// The object is at another place among the others. It has changed as well.
  case move
  /// The object has changed and is where it was.
  case update
}

extension FetchedResultsControllerDelegate {
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection name: String?,
    atIndex index: Int, for type: FetchedResultsChangeType
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject id: ObjectID,
    at indexPath: FetchedIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: FetchedIndexPath?
  ) {}

  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}

  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith difference: FetchedResultsDifference
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, didFailWith error: any Error
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String? {
    name.first.map { $0.uppercased() }
  }
}

extension FetchedResultsControllerDelegate {
  /// Tells all of one change.
  func tell(
    _ difference: FetchedResultsDifference, _ snapshot: FetchedResultsSnapshot,
    of controller: FetchedResultsController<Object>
  ) {
    controllerWillChangeContent(controller)
    for section in difference.deletedSections {
      self.controller(
        controller, didChangeSection: section.name, atIndex: section.index, for: .delete)
    }
    for section in difference.insertedSections {
      self.controller(
        controller, didChangeSection: section.name, atIndex: section.index, for: .insert)
    }
    func tell(
      _ type: FetchedResultsChangeType, _ id: ObjectID, at former: FetchedIndexPath?,
      now new: FetchedIndexPath?
    ) {
      self.controller(
        controller, didChangeObject: id, at: former, for: type, newIndexPath: new)
    }
    for object in difference.deletions {
      tell(.delete, object.objectID, at: object.indexPath, now: nil)
    }
    for object in difference.insertions {
      tell(.insert, object.objectID, at: nil, now: object.indexPath)
    }
    for step in difference.moves { tell(.move, step.objectID, at: step.from, now: step.to) }
    for step in difference.updates { tell(.update, step.objectID, at: step.from, now: step.to) }
    controllerDidChangeContent(controller)
    self.controller(controller, didChangeContentWith: difference)
    self.controller(controller, didChangeContentWith: snapshot)
  }
}

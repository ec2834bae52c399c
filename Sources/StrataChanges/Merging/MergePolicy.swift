// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// Decides conflicts: changes of objects that the store has changed since they were read. A policy
/// is a pure function of base, ours and theirs. Core Data: `NSMergePolicy`, with the same meaning
/// case by case.
///
/// | | `.error` | store trump | object trump | `.overwrite` | `.rollback` |
/// | --- | --- | --- | --- | --- | --- |
/// | both updated, one property | fails | theirs | ours | ours | theirs |
/// | both updated, different properties | fails | both | both | ours alone | theirs alone |
/// | we updated, they deleted | fails | deleted | deleted | comes back | deleted |
/// | we deleted, they updated | fails | stays, as theirs | deleted | deleted | stays, as theirs |
/// | both deleted | deleted | deleted | deleted | deleted | deleted |
/// | both brought it back | fails | theirs | ours | ours | theirs |
///
/// Links that have lost an end are conflicts too, between an object that one save deletes and a
/// link that the other makes:
///
/// | | `.error` | store trump, `.rollback` | object trump, `.overwrite` |
/// | --- | --- | --- | --- |
/// | we link to an object that they deleted | fails | the relationship is nil | the same |
/// | we delete an object that they linked to | fails | stays, linked | by the delete rule |
/// | the same, to-many on both sides | see below | see below | see below |
/// | both give an object a one-to-one partner | fails | theirs | ours |
///
/// By the delete rule: with nullify, or without an inverse, the object is deleted and their to-one
/// relationship becomes nil; with cascade it is deleted together with the objects that they linked
/// to it; with deny the save fails. If the relationship is to-many on both sides, nullify and no
/// action delete the object with the link under every policy; cascade and deny are decided as
/// above. The partner that loses a one-to-one link has none.
///
/// A save that such a link makes fail throws `StoreError.danglingLinks`, or `.conflicts` if an
/// object is in conflict as well. A cascade runs on, and its deletions ask no policy. An object
/// whose deletion is dropped keeps its stored state, and its to-one targets that the save deletes
/// stay too. The effects of the dropped deletion on other objects remain: nullified members have no
/// link, and members of a cascade are deleted.
///
/// Last, two objects of the state after the save with one unique value are a conflict:
///
/// | | `.error` | store trump | object trump | `.overwrite` | `.rollback` |
/// | --- | --- | --- | --- | --- | --- |
/// | ours is new | fails | theirs | theirs, set values | theirs, all values | theirs |
/// | several of ours are new | fails | first | first, set values | first, all values | first |
/// | a stored object gets another's value | fails | reverted | fails | fails | reverted |
///
/// "Set values": the survivor takes the values of the other that are not defaults; of several, the
/// last wins. "All values": it takes all values of the last. "Reverted": store trump gives our
/// object its former value back, `.rollback` all its former values. That comes first: it may decide
/// which object has the value of a new one.
///
/// The new object that gives way is deleted, and the other keeps its ID. All references to the
/// deleted one then lead to the other: to-one relationships, links, positions in ordered
/// relationships. No policy deletes an object that the store already had: the save then fails with
/// `StoreError.uniquenessViolations`. Nil equals no other value. If the objects are of two entities
/// of a hierarchy, the survivor gets the properties that both have.
///
/// A conflict of versions concerns attributes and to-one relationships. To-many relationships are
/// not part of it: the links that each save adds and removes are combined under every policy.
/// `custom(_:resolve:)` makes a custom policy.
public struct MergePolicy: Sendable, Hashable {
  enum Rule: Sendable, Hashable {
    case error, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback
    case custom(CustomRule)
  }

  let rule: Rule

  /// The save fails with all conflicts, and nothing is written. The default.
  public static let error = MergePolicy(rule: .error)
  /// Property by property: where both changed it, the store's value stays.
  public static let mergeByPropertyStoreTrump = MergePolicy(rule: .mergeByPropertyStoreTrump)
  /// Property by property: where both changed it, the save's value is written. An object that the
  /// other side has deleted stays deleted.
  public static let mergeByPropertyObjectTrump = MergePolicy(rule: .mergeByPropertyObjectTrump)
  /// The save's state of the whole object is written.
  public static let overwrite = MergePolicy(rule: .overwrite)
  /// The store's state of the whole object stays.
  public static let rollback = MergePolicy(rule: .rollback)

  /// Whether it is a policy of the program's own.
  package var isCustom: Bool { if case .custom = rule { true } else { false } }

  /// How a conflict ends.
  package enum Resolution: Sendable {
    case fail
    /// This becomes the object's record. External slots have their stored value or one of these.
    case write(Record, external: ExternalValues)
    /// The object is deleted.
    case delete
    /// The store stays as it is.
    case keepTheirs
    /// A custom policy returned an invalid decision: the save fails.
    case mistaken([MergePolicy.Mistake])
  }

  /// Decides one conflict.
  package func resolve(_ conflict: MergePolicy.Conflict, layout: RecordLayout) -> Resolution {
    let resolution = resolve(conflict, layout: layout, depth: 0)
    guard case .keepTheirs = resolution else { return resolution }
    var arena = RecordArena()
    return conflict.theirsMerged(layout, into: &arena).map {
      .write($0, external: ExternalValues())
    }
      ?? resolution
  }

  func resolve(_ conflict: MergePolicy.Conflict, layout: RecordLayout, depth: Int) -> Resolution {
    switch rule {
    case .error: return .fail
    case .custom(let custom): return custom.resolve(conflict, layout: layout, depth: depth)
    // Nothing is lost by leaving an object alone that the save has only read.
    case _ where conflict.isReadOnly: return .keepTheirs
    case .rollback: return .keepTheirs
    case .overwrite:
      return conflict.ours.map { .write($0, external: conflict.external) } ?? .delete
    case .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump:
      return merge(conflict, layout: layout, isOursFirst: !givesWay)
    }
  }

  /// Whether the store's state is kept where both have a say.
  package var givesWay: Bool { rule == .mergeByPropertyStoreTrump || rule == .rollback }

  /// Decides the values that a new object hands over to the survivor, because both have one unique
  /// value: ours is the new object's state, theirs the survivor's, and there is no base.
  package func resolveConstraint(_ conflict: MergePolicy.Conflict, layout: RecordLayout)
    -> Resolution
  {
    givesWay ? .keepTheirs : resolve(conflict, layout: layout)
  }

  private func merge(
    _ conflict: MergePolicy.Conflict, layout: RecordLayout, isOursFirst: Bool
  ) -> Resolution {
    switch (conflict.ours, conflict.theirs) {
    case (nil, _): return isOursFirst ? .delete : .keepTheirs
    // A policy that decides by property has nothing to say of an object that is not there: bringing
    // it back would write properties that the save has not set.
    case (.some, nil): return .keepTheirs
    // Both have made the object: they have changed every property.
    case (.some, .some) where conflict.base == nil && !isOursFirst: return .keepTheirs
    case (let ours?, let theirs?):
      var arena = RecordArena()
      var taken = conflict.changed
      if !isOursFirst { taken.subtract(conflict.changedByThem(layout)) }
      // The store has no transient values: it cannot have changed them.
      taken.formUnion(layout.transientSlots)
      return .write(
        layout.splice(base: theirs, changes: ours, slots: taken, into: &arena),
        external: conflict.external)
    }
  }
}

extension MergePolicy: CustomStringConvertible {
  /// The policy's name, as it is written in code; the given name of a custom policy.
  public var description: String {
    if case .custom(let custom) = rule { custom.name } else { "\(rule)" }
  }
}

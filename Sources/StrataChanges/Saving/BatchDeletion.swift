// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The objects that a batch deletes, together with the objects that the delete rules add.
package struct BatchDeletion: Sendable {
  /// Which objects go.
  package enum Subject: Sendable {
    /// All objects of these entities. The store need not look at them one by one.
    case all([EntityNumber])
    /// The objects that are found in the store's state at the time of the deletion. Keys of objects
    /// that do not exist are ignored.
    case found(@Sendable (any Snapshot) throws -> [ObjectKey])
  }

  package let subject: Subject
  /// Makes the consequences outside the store, for one execution; nil if there are none.
  package let consequences: (@Sendable () -> any DeletionConsequences)?

  package init(
    _ subject: Subject, consequences: (@Sendable () -> any DeletionConsequences)? = nil
  ) {
    self.subject = subject
    self.consequences = consequences
  }
}

/// The consequences for the objects that stay: derived attributes, and the model's validation
/// rules. The store asks; it implements neither.
///
/// It is notified of everything before anything is written, and asked after the objects are
/// deleted.
///
/// ## Isolation
/// The store's writer. Views are valid during a call.
package protocol DeletionConsequences {
  /// Whether the deletion of objects of the entity may have consequences: it is notified of no
  /// others.
  func concerns(_ entity: EntityNumber) -> Bool

  /// An object will be deleted.
  mutating func willDelete(_ key: ObjectKey, _ record: Record, in view: ReadView) throws

  /// To-one slots of an object that stays will lead nowhere.
  mutating func willClear(
    _ slots: SlotSet, of key: ObjectKey, _ record: Record, in view: ReadView) throws

  /// The objects that may have to change, ascending.
  mutating func reached() -> [ObjectKey]

  /// The record that one of `reached` is to have.
  mutating func record(of key: ObjectKey, _ stored: Record, in view: ReadView) throws -> Record

  /// Throws if the result is invalid.
  mutating func check(in view: ReadView) throws
}

/// A batch delete that delete rules deny: objects that others are linked to by a relationship with
/// the rule `.deny`.
package struct BatchDenial: Error {
  package let denied: [(key: ObjectKey, slot: Int)]

  package init(_ denied: [(key: ObjectKey, slot: Int)]) { self.denied = denied }
}

// SPDX-License-Identifier: Apache-2.0
public import StrataModel
package import StrataRecord

/// One object that two writers changed: what both started from, what the store has, and what the
/// save wanted. Core Data: `NSMergeConflict`.
public struct Conflict: Sendable {
  public let objectID: ObjectID
  /// What the saved change was made from; nil if it inserted the object.
  package let base: Record?
  /// What the save wants; nil to delete.
  package let ours: Record?
  /// What the store has; nil if it was deleted there.
  package let theirs: Record?
  package let schema: Schema

  package init(
    objectID: ObjectID, base: Record?, ours: Record?, theirs: Record?, schema: Schema
  ) {
    self.objectID = objectID
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.schema = schema
  }

  /// The attributes and to-one targets that the change was made from, by property name; nil if the
  /// object was new.
  public var baseValues: [String: Value]? { base.map(values) }

  /// What the save wants; nil if it deletes the object.
  public var ourValues: [String: Value]? { ours.map(values) }

  /// What the store has; nil if it has deleted the object.
  public var theirValues: [String: Value]? { theirs.map(values) }

  private func values(_ record: Record) -> [String: Value] {
    guard let entity = schema.entity(objectID.key.entity) else { return [:] }
    var values: [String: Value] = [:]
    for (slot, property) in entity.description.properties.enumerated()
    where property.relationship?.isToMany != true {
      values[property.name] = record.value(at: slot, layout: entity.layout, store: schema.store)
    }
    return values
  }
}

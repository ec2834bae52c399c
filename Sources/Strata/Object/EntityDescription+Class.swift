// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataRecord

extension EntityDescription {
  /// The entity whose objects are of class `type`: what `@Entity` writes.
  ///
  /// - Parameters:
  ///   - name: the entity's name, unique in the model.
  ///   - isAbstract: whether it only gathers what its subentities share.
  ///   - superentity: the entity that it inherits from; nil for none.
  ///   - hooks: the life cycle methods that the class overrides, those of its superclass left out or
  ///     not; `.all` if it is not known, at the price that saves and fetches look at each object.
  ///   - uniqueTogether: sets of properties, by name, whose values no two objects have together.
  ///   - properties: its own properties, in the order of their slots.
  public convenience init<T: ManagedObject>(
    entity name: String, of type: T.Type, isAbstract: Bool = false,
    superentity: EntityDescription? = nil, hooks: LifeCycleHooks = .all,
    uniqueTogether: [[String]] = [], properties: [PropertyDescription]
  ) {
    self.init(
      name, class: type, isAbstract: isAbstract, superentity: superentity, hooks: hooks,
      uniqueTogether: uniqueTogether, properties: properties,
      probe: { T.slot(readBy: $0) })
  }
}

// MARK: - Key paths to inherited properties

/// Notes which slot a property reads.
package final class SlotRecorder {
  package private(set) var slot: Int?

  package func note(_ slot: Int) { self.slot = slot }
}

extension ManagedObject {
  /// The slot that `keyPath` reads, found by reading it on an object made for that; nil if it reads
  /// none. It is the way to know that `\Employee.name` is the `name` that Person declares: the two
  /// key paths are not equal.
  fileprivate static func slot(readBy keyPath: AnyKeyPath) -> Int? {
    let recorder = SlotRecorder()
    let home = ObjectHome(
      context: nil, entity: .unbound(entity), type: self, recorder: recorder)
    let object = self.init(
      ObjectSeed(home: home, key: ObjectKey(rawValue: 0), status: .detached))
    return object.reads(keyPath) ? recorder.slot : nil
  }

  /// Reads `keyPath` on this object.
  ///
  /// - Returns: false if it begins at another class.
  private func reads(_ keyPath: AnyKeyPath) -> Bool { (self as Any)[keyPath: keyPath] != nil }
}

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
  ///   - indexes: lists of properties, by name, that indexes are kept over.
  ///   - properties: its own properties, in the order of their slots.
  public convenience init<T: ManagedObject>(
    entity name: String, of type: T.Type, isAbstract: Bool = false,
    superentity: EntityDescription? = nil, hooks: LifeCycleHooks = .all,
    uniqueTogether: [[String]] = [], indexes: [[String]] = [], properties: [PropertyDescription]
  ) {
    self.init(
      name, class: type, isAbstract: isAbstract, superentity: superentity, hooks: hooks,
      uniqueTogether: uniqueTogether, indexes: indexes, properties: properties,
      probe: { T.read(by: $0) })
  }
}

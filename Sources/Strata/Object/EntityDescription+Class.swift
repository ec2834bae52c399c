// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataRecord

extension EntityDescription {
  /// The entity whose objects are of class `type`. `@Entity` generates a call of it.
  ///
  /// - Parameters:
  ///   - name: the entity's name, unique in the model.
  ///   - type: the class of its objects.
  ///   - isAbstract: whether it only declares properties for its subentities.
  ///   - superentity: the entity that it inherits from; nil for none.
  ///   - hooks: the life cycle methods that the class overrides, with or without those of its
  ///     superclass; `.all` if they are unknown, which makes saves and fetches look at each object.
  ///   - uniqueTogether: sets of properties, by name, whose values no two objects have together.
  ///   - indexes: lists of properties to index, by name.
  ///   - originalName: the name in the previous model; nil if it is the same.
  ///   - properties: its own properties, in the order of their slots.
  public convenience init<T: ManagedObject>(
    entity name: String, of type: T.Type, isAbstract: Bool = false,
    superentity: EntityDescription? = nil, hooks: _LifeCycleHooks = .all,
    uniqueTogether: [[String]] = [], indexes: [[String]] = [], originalName: String? = nil,
    properties: [PropertyDescription]
  ) {
    self.init(
      name, class: type, isAbstract: isAbstract, superentity: superentity, hooks: hooks,
      uniqueTogether: uniqueTogether, indexes: indexes, originalName: originalName,
      properties: properties,
      probe: { T.read(by: $0) })
  }
}

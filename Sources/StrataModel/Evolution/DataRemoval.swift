// SPDX-License-Identifier: Apache-2.0

/// The entities and properties whose data a migration may delete: names of the store's model. A
/// name that the store does not have is without effect.
///
/// A property is named with the entity that declares it, or with a subentity whose objects lose it.
package struct DataRemoval: Sendable, Hashable {
  package typealias Property = ManagedObjectModel.PropertyReference

  package let entities: Set<String>
  package let properties: Set<Property>

  package init(entities: Set<String> = [], properties: Set<Property> = []) {
    (self.entities, self.properties) = (entities, properties)
  }

  /// The number of names.
  package var count: Int { entities.count + properties.count }
}

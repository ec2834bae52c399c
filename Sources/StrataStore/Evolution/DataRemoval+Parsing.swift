// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// Programs name entities and properties as texts. They are parsed where they enter the store layer,
// and all mistakes of one set are reported at once.

extension DataRemoval {
  /// - Parameter names: the names of entities, and of properties as `Entity.property`.
  /// - Throws: `malformedNames` with the entries that can be neither.
  package init(parsing names: Set<String>) throws(StoreError) {
    var (entities, properties): (Set<String>, Set<Property>) = ([], [])
    var malformed: [String] = []
    for name in names {
      if let property = Property(parsing: name) {
        properties.insert(property)
      } else if !name.isEmpty, !name.unicodeScalars.contains(".") {
        entities.insert(name)
      } else {
        malformed.append(name)
      }
    }
    guard malformed.isEmpty else { throw .malformedNames(malformed.sorted()) }
    self.init(entities: entities, properties: properties)
  }
}

extension Set<ManagedObjectModel.PropertyReference> {
  /// - Parameter names: the names of properties as `Entity.property`.
  /// - Throws: `malformedNames` with the entries that are not.
  package init(parsing names: Set<String>) throws(StoreError) {
    let malformed = names.filter { Element(parsing: $0) == nil }
    guard malformed.isEmpty else { throw .malformedNames(malformed.sorted()) }
    self.init(names.compactMap { Element(parsing: $0) })
  }
}

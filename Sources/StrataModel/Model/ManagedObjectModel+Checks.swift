// SPDX-License-Identifier: Apache-2.0

// The checks of an entity by itself, and of the two sides of each relationship.

extension ManagedObjectModel {
  /// The maximum length of a name, in bytes of UTF-8.
  private static let nameByteCountMax = 255

  /// Names are parts of keys in the store's catalog: points join an entity's name and a property's,
  /// commas join the properties of an index, and brackets enclose them.
  static func checkNames(of entity: EntityDescription) throws(ModelError) {
    guard isFit(entity.name) else { throw .unfitName(entity: entity.name, property: nil) }
    for property in entity.ownProperties where !isFit(property.name) {
      throw .unfitName(entity: entity.name, property: property.name)
    }
  }

  private static func isFit(_ name: String) -> Bool {
    guard 1...nameByteCountMax ~= name.utf8.count else { return false }
    for scalar in name.unicodeScalars {
      switch scalar {
      case ".", ",", "(", ")", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        return false
      default: continue
      }
    }
    return true
  }

  static func checkProperties(of entity: EntityDescription) throws(ModelError) {
    if let name = firstRepeated(entity.properties.map(\.name)) {
      throw .duplicateProperty(entity: entity.name, property: name)
    }
    for case .attribute(let attribute) in entity.ownProperties {
      try check(attribute, of: entity.name)
    }
    try checkRules(of: entity)
  }

  /// The first of the names that was there before; nil if all are different.
  private static func firstRepeated(_ names: [String]) -> String? {
    // A few are compared with each other in less time than one is put into a set.
    if names.count <= 24 {
      return names.indices.first { names[..<$0].contains(names[$0]) }.map { names[$0] }
    }
    var known: Set<String> = []
    return names.first { !known.insert($0).inserted }
  }

  private static func check(
    _ attribute: AttributeDescription, of entity: String
  ) throws(ModelError) {
    if attribute.isIndexed { try checkIndexable(attribute, of: entity) }
    if attribute.isExternal {
      let isUnfit = attribute.isTransient || attribute.derivation != nil
      guard attribute.type == .data, !isUnfit else {
        throw .unfitExternal(entity: entity, property: attribute.name)
      }
    }
    if attribute.isFullText, attribute.type != .string || attribute.isTransient {
      throw .unfitFullText(entity: entity, property: attribute.name)
    }
    if attribute.preservesValueOnDeletion, attribute.isExternal || attribute.isTransient {
      throw .unfitPreservation(entity: entity, property: attribute.name)
    }
    guard attribute.defaultValue != .null else {
      if attribute.needsDefault, !attribute.isOptional {
        throw .missingDefault(entity: entity, property: attribute.name)
      }
      return
    }
    guard attribute.type.holds(attribute.defaultValue) else {
      throw .mismatchedDefault(entity: entity, property: attribute.name)
    }
  }

  static func inverses(
    of entities: [EntityDescription], byName: [String: EntityDescription]
  ) throws(ModelError) -> [String: [String: PropertyReference]] {
    var inverses: [String: [String: PropertyReference]] = [:]
    for entity in entities {
      for case .relationship(let relationship) in entity.ownProperties {
        let side = PropertyReference(entity: entity.name, property: relationship.name)
        let destination = relationship.destination()
        guard byName[destination.name] === destination else {
          throw .unknownDestination(
            entity: entity.name, property: relationship.name, destination: destination.name)
        }
        if relationship.isSymmetric {
          guard relationship.kind == .toMany, relationship.inverse == nil, destination === entity
          else {
            throw .unfitSymmetry(entity: entity.name, property: relationship.name)
          }
          inverses[side.entity, default: [:]][side.property] = side
        } else if let named = relationship.inverse {
          let other = try self.inverse(
            named, of: relationship, declaredBy: entity, in: destination)
          for (from, to) in [(side, other), (other, side)] {
            if let known = inverses[from.entity]?[from.property], known != to {
              throw .conflictingInverse(
                entity: entity.name, property: relationship.name,
                inverse: "\(other.entity).\(other.property)")
            }
            inverses[from.entity, default: [:]][from.property] = to
          }
        }
      }
    }
    return inverses
  }

  private static func inverse(
    _ named: RelationshipDescription.Inverse, of relationship: RelationshipDescription,
    declaredBy entity: EntityDescription, in destination: EntityDescription
  ) throws(ModelError) -> PropertyReference {
    let slot =
      switch named {
      case .keyPath(let keyPath): destination.slot(for: keyPath)
      case .name(let name): destination.slot(named: name)
      }
    guard let slot else {
      throw .unknownInverse(
        entity: entity.name, property: relationship.name, destination: destination.name)
    }
    let property = destination.properties[slot]
    guard let owner = destination.lineage.first(where: { $0.firstOwnSlot <= slot }),
      let inverse = property.relationship, !inverse.isSymmetric,
      inverse.destination() === entity
    else {
      throw .mismatchedInverse(
        entity: entity.name, property: relationship.name,
        inverse: "\(destination.name).\(property.name)")
    }
    return PropertyReference(entity: owner.name, property: property.name)
  }
}

extension AttributeType {
  /// Whether a value of this type can be `value`; null is of every type.
  package func holds(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (_, .null), (.bool, .bool), (.float, .double), (.double, .double), (.decimal, .decimal),
      (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid), (.url, .url),
      (.codable, .codable):
      true
    case (.int8, .int(let int)): Int8(exactly: int) != nil
    case (.int16, .int(let int)): Int16(exactly: int) != nil
    case (.int32, .int(let int)): Int32(exactly: int) != nil
    case (.int64, .int): true
    case (.uint8, .uint(let int)): UInt8(exactly: int) != nil
    case (.uint16, .uint(let int)): UInt16(exactly: int) != nil
    case (.uint32, .uint(let int)): UInt32(exactly: int) != nil
    case (.uint64, .uint): true
    default: false
    }
  }
}

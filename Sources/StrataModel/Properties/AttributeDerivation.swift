// SPDX-License-Identifier: Apache-2.0

/// The source from which an attribute's value is calculated, instead of being set, by the save that
/// reaches the store. Properties are named as in the model, and checked when that is built; none of
/// them may be derived or external itself. Core Data: `NSDerivedAttributeDescription`.
public enum AttributeDerivation: Sendable, Hashable {
  /// A text of the object without case, accents and points, for searching and sorting: "lavasan" of
  /// "Lavāsān". It is folded as for the options `[cd]` of comparisons: `TextOptions.folded(_:)`.
  /// Core Data: `canonical:`.
  case canonical(String)
  /// A text of the object in upper case. Core Data: `uppercase:`.
  case uppercase(String)
  /// A text of the object in lower case. Core Data: `lowercase:`.
  case lowercase(String)
  /// A copy of the attribute at the end of to-one relationships: "country.name". Nil, or the type's
  /// zero, if the path ends before.
  case path(String)
  /// How many members a to-many relationship has; for an `Int`. Core Data: `@count`.
  case count(String)
  /// The sum of an attribute over the members of a to-many relationship: for an `Int` over
  /// integers, which stops at its bounds, for a `Double` over `Float` and `Double`, for a `Decimal`
  /// over those. Members without a value count as zero. Core Data: `@sum`.
  case sum(String, of: String)
  /// When the object was last saved; for a `Date`. Core Data: `now()`.
  case now
}

extension ManagedObjectModel {
  /// Whether it has derived texts that are folded.
  package var hasCanonicalTexts: Bool {
    entities.contains { entity in
      entity.ownProperties.contains {
        if case .canonical = $0.attribute?.derivation { true } else { false }
      }
    }
  }
}

/// A derivation with slots in place of names.
package enum ResolvedDerivation: Sendable {
  package enum TextForm: Sendable { case canonical, uppercase, lowercase }

  case text(TextForm, slot: Int)
  /// The slots of to-one relationships, each in the destination entity of the one before, and the
  /// slot of the attribute at their end.
  case path([Int], attribute: Int)
  /// The slot of the relationship.
  case count(Int)
  /// The slot of the relationship, and the slot of the attribute in its members.
  case sum(Int, of: Int)
  case now
}

extension EntityDescription {
  /// The source of the attribute; nil if it is not derived, or if the derivation does not fit.
  package func derivation(of attribute: AttributeDescription) -> ResolvedDerivation? {
    switch attribute.derivation {
    case nil: return nil
    case .canonical(let name): return text(.canonical, of: name, for: attribute)
    case .uppercase(let name): return text(.uppercase, of: name, for: attribute)
    case .lowercase(let name): return text(.lowercase, of: name, for: attribute)
    case .path(let path): return resolvedPath(path, for: attribute)
    case .count(let name):
      guard attribute.type == .int64, let slot = slot(named: name),
        properties[slot].relationship?.isToMany == true
      else { return nil }
      return .count(slot)
    case .sum(let name, let summed):
      guard let slot = slot(named: name), let relationship = properties[slot].relationship,
        relationship.isToMany,
        let (memberSlot, member) = relationship.destination().source(named: summed),
        attribute.type == member.type.sumType
      else { return nil }
      return .sum(slot, of: memberSlot)
    case .now: return attribute.type == .date ? .now : nil
    }
  }

  private func text(
    _ form: ResolvedDerivation.TextForm, of name: String, for attribute: AttributeDescription
  ) -> ResolvedDerivation? {
    guard attribute.type == .string, let (slot, source) = source(named: name),
      source.type == .string
    else { return nil }
    return .text(form, slot: slot)
  }

  private func resolvedPath(
    _ path: String, for attribute: AttributeDescription
  ) -> ResolvedDerivation? {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.count > 1, let last = names.last else { return nil }
    var (entity, slots) = (self, [Int]())
    for name in names.dropLast() {
      guard let slot = entity.slot(named: name),
        let relationship = entity.properties[slot].relationship, !relationship.isToMany
      else { return nil }
      slots.append(slot)
      entity = relationship.destination()
    }
    guard let (slot, source) = entity.source(named: last), source.type == attribute.type else {
      return nil
    }
    return .path(slots, attribute: slot)
  }

  /// An attribute from which others may be derived.
  private func source(named name: String) -> (slot: Int, attribute: AttributeDescription)? {
    guard let slot = slot(named: name), let attribute = properties[slot].attribute,
      attribute.derivation == nil, !attribute.isExternal
    else { return nil }
    return (slot, attribute)
  }
}

extension AttributeType {
  /// The type of a sum over values of this one; nil if they have none.
  fileprivate var sumType: AttributeType? {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .int64
    case .float, .double: .double
    case .decimal: .decimal
    case .bool, .string, .data, .date, .uuid, .url, .codable: nil
    }
  }
}

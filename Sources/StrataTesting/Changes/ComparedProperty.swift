// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataQuery
import StrataRecord

/// The slot of a property that an expectation names, or the reason why nothing is compared there.
enum ComparedProperty {
  case slot(Int)
  case mistake(String)

  init(_ property: _ExpectedProperty, of entity: EntitySchema) {
    let name = entity.description.name
    guard let slot = property.name.flatMap(entity.description.slot(named:)) else {
      self = .mistake("\(name) has no stored property \(property.text)")
      return
    }
    if entity.description.properties[slot].attribute?.isTransient == true {
      self = .mistake("a transient attribute is not compared")
    } else if let relationship = entity.relationships[slot], !relationship.isCompared {
      self = .mistake("links are compared at the inverse: expect the change there")
    } else {
      self = .slot(slot)
    }
  }
}

extension _ExpectedValue {
  /// The value of a property in a new object.
  static func initial(at slot: Int, of entity: EntitySchema) -> _ExpectedValue {
    if let relationship = entity.relationships[slot] {
      return relationship.isToMany ? .members([]) : .value(.null)
    }
    guard let attribute = entity.description.properties[slot].attribute else {
      return .value(.null)
    }
    return .value(attribute.shownValue(of: attribute.defaultValue))
  }

  /// The value as a state has it: numbers of the attribute's type, and the members of an unordered
  /// relationship ascending by ID.
  func fitting(_ slot: Int, of entity: EntitySchema) -> _ExpectedValue {
    switch self {
    case .value(let value):
      guard let attribute = entity.description.properties[slot].attribute else { return self }
      return .value(attribute.shownValue(of: value.fitting(attribute.type) ?? value))
    case .members(let ids):
      guard let relationship = entity.relationships[slot], !relationship.isOrdered else {
        return self
      }
      return .members(ids.sorted { $0.key < $1.key })
    case .unfit: return self
    }
  }
}

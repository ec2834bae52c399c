// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
public import StrataModel
import StrataRecord

/// The value of a property in a state, or in an expected change.
public enum _ExpectedValue: Sendable {
  /// An attribute's value, or a to-one target.
  case value(PropertyValue)
  /// The members of a to-many relationship, in their order, or ascending by ID if it is unordered.
  case members([ObjectID])
  /// A value of the program that no attribute can have, as its type says.
  case unfit(type: String)

  /// - Parameter value: the value of an attribute's Swift type, which may be an optional, or the
  ///   target of a to-one relationship.
  init(_ value: some Any) {
    if let value = value as? any AttributeValue {
      self = .value(value.value)
    } else if let object = value as? ManagedObject {
      self = .value(.object(object.objectID))
    } else if Mirror(reflecting: value).isNil {
      self = .value(.null)
    } else if let value = (value as? any RawRepresentable)?.rawValue as? any AttributeValue {
      self = .value(value.value)
    } else if let value = value as? any Encodable, let data = try? _CodableCoding.encode(value) {
      self = .value(.codable(data))
    } else {
      self = .unfit(type: "\(type(of: value))")
    }
  }

  init(_ target: ObjectID?) { self = .value(target.map(PropertyValue.object) ?? .null) }

  /// Whether both are the same: unlike `==` of numbers, NaN is the same as NaN.
  func isSame(as other: _ExpectedValue) -> Bool {
    switch (self, other) {
    case (.value(let left), .value(let right)): left == right || left.isNaN && right.isNaN
    case (.members(let left), .members(let right)): left == right
    default: false
    }
  }
}

extension PropertyValue {
  /// Whether this is NaN, as a number or as the seconds of a date.
  var isNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}

extension Mirror {
  fileprivate var isNil: Bool { displayStyle == .optional && children.isEmpty }
}

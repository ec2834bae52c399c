// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// The path from a composite, a `Codable` struct that is an attribute's value, to one of its
/// members: the `.city` of `$0.address.city`, or the `.geo.latitude` of `$0.address.geo.latitude`.
///
/// The composite is decoded and the key paths are applied to the result. A member may therefore be
/// stored or computed, nested, or have another name in the encoding. Each object and comparison
/// costs one decoding, some microseconds. No index is used.
package struct CompositePath: Sendable {
  /// The key paths, from the composite to the member.
  private let steps: [any AnyKeyPath & Sendable]
  // Safety: a metatype has no mutable state.
  nonisolated(unsafe) private let composite: any Decodable.Type
  /// The type of the member at the end of the path; `.codable` if no attribute can have its type.
  package let type: AttributeType

  /// - Returns: nil if there are no steps, or if the type at their beginning is not decodable.
  init?(_ steps: [any AnyKeyPath & Sendable]) {
    guard let first = steps.first, let last = steps.last,
      let composite = Swift.type(of: first).rootType as? any Decodable.Type
    else { return nil }
    self.steps = steps
    self.composite = composite
    type = AttributeType(ofMember: Swift.type(of: last).valueType)
  }

  /// The names of the steps, for plans and errors.
  var names: [String] {
    steps.map { step in
      let name = "\(step)"
      return name.split(separator: ".").last.map(String.init) ?? name
    }
  }

  /// Returns the member's value; `.null` if the member or a value on the path is nil; nil if the
  /// slot cannot be decoded.
  func member(of slot: _RecordSlot) -> PropertyValue? {
    slot.bytes(.codable).flatMap { member(in: Data($0)) }
  }

  /// Returns the member of a composite that is not stored in a slot; `.null` if the member or a
  /// value on the path is nil; nil if the composite cannot be decoded.
  func member(of value: PropertyValue) -> PropertyValue? {
    guard case .codable(let data) = value else { return .null }
    return member(in: data)
  }

  private func member(in data: Data) -> PropertyValue? {
    guard let decoded = try? decode(composite, data) else { return nil }
    var value = decoded
    for step in steps {
      guard let next = value[keyPath: step as AnyKeyPath] else { return .null }
      value = next
    }
    return PropertyValue(ofMember: value)
  }

  private func decode<T: Decodable>(_: T.Type, _ data: Data) throws -> Any {
    try _CodableCoding.decode(T.self, from: data)
  }
}

extension AttributeType {
  /// The type of an attribute with the type of the member; `.codable` if no attribute can have its
  /// type.
  fileprivate init(ofMember type: Any.Type) {
    func raw<T: RawRepresentable>(_: T.Type) -> Any.Type { T.RawValue.self }
    let type = (type as? any AnyOptional.Type)?.wrapped ?? type
    let stored = (type as? any RawRepresentable.Type).map { raw($0) } ?? type
    self =
      (type as? any AttributeValue.Type ?? stored as? any AttributeValue.Type)?.attributeType
      ?? .codable
  }
}

extension PropertyValue {
  /// Creates the value of a member for comparisons: `.null` only for nil. A member of a type that
  /// no attribute can have becomes a value other than `.null`.
  fileprivate init(ofMember member: Any) {
    func raw(_ value: some RawRepresentable) -> Any { value.rawValue }
    if (member as? any AnyOptional)?.isNil == true {
      self = .null
    } else if let value = member as? any AttributeValue {
      self = value.value
    } else if let value = member as? any RawRepresentable,
      let stored = raw(value) as? any AttributeValue
    {
      self = stored.value
    } else {
      self = .codable(Data())
    }
  }
}

/// An optional with an erased wrapped type.
private protocol AnyOptional {
  static var wrapped: Any.Type { get }
  var isNil: Bool { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
  fileprivate var isNil: Bool { self == nil }
}

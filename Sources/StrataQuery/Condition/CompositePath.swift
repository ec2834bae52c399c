// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// The way from a composite, a `Codable` struct that is an attribute's value, to one of its members:
/// the `.city` of `$0.address.city`, or the `.geo.latitude` of `$0.address.geo.latitude`.
///
/// The composite is decoded and the key paths are applied to it, so a member is whatever Swift says it
/// is: stored or computed, nested, named otherwise in the encoding. It costs a decoding for each
/// object and each comparison, some microseconds; no index can answer it.
package struct CompositePath: Sendable {
  /// From the composite on.
  private let steps: [any AnyKeyPath & Sendable]
  // Safety: a type is no state.
  nonisolated(unsafe) private let composite: any Decodable.Type
  /// The type of the member at the end; `.codable` if no attribute can have it.
  package let type: AttributeType

  /// - Returns: nil if there is no step, or if what they begin at cannot be decoded.
  init?(_ steps: [any AnyKeyPath & Sendable]) {
    guard let first = steps.first, let last = steps.last,
      let composite = Swift.type(of: first).rootType as? any Decodable.Type
    else { return nil }
    self.steps = steps
    self.composite = composite
    type = AttributeType(ofMember: Swift.type(of: last).valueType)
  }

  /// How the steps are called, for plans and errors.
  var names: [String] {
    steps.map { step in
      let name = "\(step)"
      return name.split(separator: ".").last.map(String.init) ?? name
    }
  }

  /// The member's value, `.null` if the member or something on the way to it is nil; nil if the slot
  /// does not decode.
  func member(of slot: RecordSlot) -> Value? {
    slot.bytes(.codable).flatMap { member(in: Data($0)) }
  }

  /// The same of a value that is in no slot.
  func member(of value: Value) -> Value? {
    guard case .codable(let data) = value else { return .null }
    return member(in: data)
  }

  private func member(in data: Data) -> Value? {
    guard let decoded = try? decode(composite, data) else { return nil }
    var value = decoded
    for step in steps {
      guard let next = value[keyPath: step as AnyKeyPath] else { return .null }
      value = next
    }
    return Value(ofMember: value)
  }

  private func decode<T: Decodable>(_: T.Type, _ data: Data) throws -> Any {
    try CodableCoding.decode(T.self, from: data)
  }
}

extension AttributeType {
  /// How a member of a composite would be stored if it were an attribute; `.codable` if not at all.
  fileprivate init(ofMember type: Any.Type) {
    func raw<T: RawRepresentable>(_: T.Type) -> Any.Type { T.RawValue.self }
    let type = (type as? any AnyOptional.Type)?.wrapped ?? type
    let stored = (type as? any RawRepresentable.Type).map { raw($0) } ?? type
    self =
      (type as? any AttributeValue.Type ?? stored as? any AttributeValue.Type)?.attributeType
      ?? .codable
  }
}

extension Value {
  /// A member of a composite as predicates compare it: `.null` for nil alone, and for what no
  /// attribute can have something that is not.
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

/// An optional, whatever it wraps.
private protocol AnyOptional {
  static var wrapped: Any.Type { get }
  var isNil: Bool { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
  fileprivate var isNil: Bool { self == nil }
}

// SPDX-License-Identifier: Apache-2.0

/// A JSON text as a value. Numbers keep their digits, so that 64-bit integers and decimals are
/// exact, and members keep their order.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// The digits, as JSON has them.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  package static func integer(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }

  package static func strings(_ strings: [String]) -> JSONValue {
    .array(strings.map(JSONValue.string))
  }

  /// An object with the members whose value is not nil, in their order.
  package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// The value of a member; nil if this is not an object, or has no such member.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var string: String? {
    if case .string(let string) = self { string } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The number as an integer of a type that can represent it.
  package func integer<Integer: FixedWidthInteger>(as _: Integer.Type = Integer.self) -> Integer? {
    if case .number(let digits) = self { Integer(digits) } else { nil }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
public import StrataModel
import StrataRecord

/// A type with instances that can be arguments of a format string, in addition to attribute values,
/// IDs, and arrays and sets of these.
public protocol _PredicateArgument {
  /// The value to use in the predicate.
  var predicateValue: PropertyValue { get }
}

extension ObjectID: _PredicateArgument {
  public var predicateValue: PropertyValue { .object(self) }
}

// The arguments of a format string. The placeholders take them in order.

extension FormatParser {
  /// Takes the argument for `%@` or for a printf specifier, which takes only numbers.
  mutating func argument(_ specifier: String) throws(PredicateFormatError) -> any OperandNode {
    let argument = try nextArgument()
    guard let operand = Self.operand(argument) else {
      throw error(
        found: "an argument of type \(argument.map { "\(type(of: $0))" } ?? "nil")",
        expected: "a value that a property can have")
    }
    if specifier != "@" {
      let kind = operand.constant?.kind
      guard kind == .number || kind == .truth else {
        throw error(
          found: "an argument that is not a number", expected: "a number for %\(specifier)")
      }
    }
    advance()
    return operand
  }

  /// Takes the argument for `%K`: one name, or several names with points between them.
  mutating func keyPathArgument() throws(PredicateFormatError) -> [String] {
    guard let text = try nextArgument() as? String else {
      throw error(found: "an argument that is not a text", expected: "a key path for %K")
    }
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw error(found: "an empty name", expected: "a key path for %K")
    }
    advance()
    return names
  }

  private mutating func nextArgument() throws(PredicateFormatError) -> Any? {
    guard argumentIndex < arguments.count else {
      throw error(
        found: "no argument for this placeholder", expected: "more than \(argumentIndex) arguments")
    }
    defer { argumentIndex += 1 }
    return arguments[argumentIndex]
  }

  /// Returns the value or list of an argument; nil if the argument is neither.
  static func operand(_ argument: Any?) -> (any OperandNode)? {
    guard let argument else { return Constant(.null) }
    if let value = value(argument) { return Constant(value) }
    guard let elements = argument as? any Sequence else { return nil }
    return list(elements)
  }

  private static func list(_ elements: some Sequence) -> (any OperandNode)? {
    var constants: [Constant] = []
    for element in elements {
      guard let value = value(element) else { return nil }
      constants.append(Constant(value))
    }
    return ListNode(constants)
  }

  private static func value(_ argument: Any) -> PropertyValue? { PropertyValue(argument: argument) }
}

extension PropertyValue {
  /// Creates the value that a property has with `argument`; nil if no property has such a value.
  package init?(argument: Any) {
    if let value = argument as? any AttributeValue {
      self = value.value
    } else if let value = argument as? any _PredicateArgument {
      self = value.predicateValue
    } else if let value = argument as? any RawRepresentable,
      let raw = value.rawValue as? any AttributeValue
    {
      self = raw.value
    } else {
      return nil
    }
  }
}

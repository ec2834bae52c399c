// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// A value of the naive model: the value of a format string's operand for one object.
enum Plain {
  case none
  case int(Int)
  case double(Double)
  case text(String)
  case truth(Bool)
  case object(ObjectKey)

  init(_ value: Int?) { self = value.map(Plain.int) ?? .none }
  init(_ value: Double?) { self = value.map(Plain.double) ?? .none }
  init(_ value: String?) { self = value.map(Plain.text) ?? .none }

  var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }

  // MARK: - Operators

  /// The numbers of these tests are small, so doubles tell integers apart.
  static func areEqual(_ left: Plain, _ right: Plain) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.text(let left), .text(let right)): left == right
    case (.truth(let left), .truth(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: left.number.map { $0 == right.number } ?? false
    }
  }

  static func isLess(_ left: Plain, _ right: Plain) -> Bool {
    if let left = left.text, let right = right.text { return TextOrder(left) < TextOrder(right) }
    guard let left = left.number, let right = right.number else { return false }
    return left < right
  }

  static func holds(_ left: Plain, _ sign: String, _ right: Plain) -> Bool {
    // Equal numbers are equal, equal texts too: neither is less. NaN is neither.
    func isEqualInOrder() -> Bool {
      if case .none = left { return false }
      return areEqual(left, right)
    }
    return switch sign {
    case "=", "==": areEqual(left, right)
    case "!=", "<>": !areEqual(left, right)
    case "<": isLess(left, right)
    case ">": isLess(right, left)
    case "<=", "=<": isLess(left, right) || isEqualInOrder()
    default: isLess(right, left) || isEqualInOrder()
    }
  }

  static func calculate(_ left: Plain, _ sign: String, _ right: Plain) -> Plain {
    guard let one = left.number, let two = right.number else { return .none }
    if sign == "**" { return .double(pow(one, two)) }
    if case .int(let one) = left, case .int(let two) = right {
      switch sign {
      case "+": return .int(one + two)
      case "-": return .int(one - two)
      case "*": return .int(one * two)
      default: return two == 0 ? .none : .int(one / two)
      }
    }
    switch sign {
    case "+": return .double(one + two)
    case "-": return .double(one - two)
    case "*": return .double(one * two)
    default: return two == 0 ? .none : .double(one / two)
    }
  }

  static func aggregate(_ function: String, _ values: [Plain]) -> Plain {
    let some = values.filter { if case .none = $0 { false } else { true } }
    switch function {
    case "sum": return some.reduce(.int(0)) { calculate($0, "+", $1) }
    case "avg":
      guard let sum = aggregate("sum", some).number, !some.isEmpty else { return .none }
      return .double(sum / Double(some.count))
    default:
      let ordered = some.filter { $0.number?.isNaN != true }
      let first = ordered.min { isLess($0, $1) }
      let last = ordered.max { isLess($0, $1) }
      return (function == "min" ? first : last) ?? .none
    }
  }

  // MARK: - Texts

  /// The effect of `[c]` and `[d]` on a text.
  static func folded(_ text: String, _ options: String) -> String {
    var text = text.decomposedStringWithCanonicalMapping
    if options.contains("d") {
      text.unicodeScalars.removeAll { mark in
        let order = mark.properties.canonicalCombiningClass.rawValue
        return mark.properties.generalCategory == .nonspacingMark
          && (order == 1 || (10...36).contains(order) || order >= 200)
      }
    }
    return options.contains("c") ? text.uppercased().lowercased() : text
  }

  /// Whether `text` is as a pattern with wildcards.
  static func isLike(_ text: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*" {
      return isLike(text, rest) || !text.isEmpty && isLike(text.dropFirst(), pattern)
    }
    guard let next = text.first, first == "?" || first == next else { return false }
    return isLike(text.dropFirst(), rest)
  }
}

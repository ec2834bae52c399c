// SPDX-License-Identifier: Apache-2.0

/// The position of a text inside another one: at the beginning, at the end, or anywhere.
package enum TextPart: String, Sendable {
  case prefix
  case suffix
  case infix

  /// Whether `other` contains `text` at this position.
  func isFound(_ text: String, in other: String) -> Bool {
    switch self {
    case .prefix: other.hasPrefix(text)
    case .suffix: other.hasSuffix(text)
    case .infix: text.isEmpty || other.contains(text)
    }
  }
}

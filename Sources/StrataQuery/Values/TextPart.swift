// SPDX-License-Identifier: Apache-2.0

/// Which part of a text another one is.
package enum TextPart: String, Sendable {
  case prefix
  case suffix
  case infix

  /// Whether `text` is this part of `other`.
  func isFound(_ text: String, in other: String) -> Bool {
    switch self {
    case .prefix: other.hasPrefix(text)
    case .suffix: other.hasSuffix(text)
    case .infix: text.isEmpty || other.contains(text)
    }
  }
}

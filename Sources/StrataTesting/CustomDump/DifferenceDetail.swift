// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

#if CustomDump
  import CustomDump
#endif

extension _ExpectedValue {
  /// The lines by which two texts of several lines, or two encoded values, differ: a line break and
  /// the difference of swift-custom-dump, indented. Nil for other values, and without the trait
  /// `CustomDump`.
  func differenceDetail(from found: _ExpectedValue) -> String? {
    #if CustomDump
      guard case .value(let expected) = self, case .value(let found) = found,
        let left = expected.linesOfText, let right = found.linesOfText,
        let difference = diff(left, right, format: .proportional)
      else { return nil }
      return "\n" + difference.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    #else
      return nil
    #endif
  }
}

#if CustomDump
  extension PropertyValue {
    /// A text of several lines, or an encoded value with a member a line; nil for other values.
    fileprivate var linesOfText: String? {
      switch self {
      case .string(let text) where text.contains("\n"): text
      case .codable(let data):
        (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
          .flatMap {
            try? JSONSerialization.data(
              withJSONObject: $0, options: [.prettyPrinted, .sortedKeys, .fragmentsAllowed])
          }
          .map { String(decoding: $0, as: UTF8.self) }
      default: nil
      }
    }
  }
#endif

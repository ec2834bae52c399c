// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataDump

/// Values on pages: short in the cells of tables, whole on the page of an object.
///
/// Characters that change the direction of the text around them, and other control characters, are
/// shown as escapes: they cannot mislead a reader.
enum ShownValue {
  private static let cellScalarCountMax = 100
  private static let pageScalarCountMax = 16_384

  /// A value in a table.
  static func cell(_ value: PropertyValue) -> HTML {
    switch value {
    case .null: absent
    case .string(""): empty
    case .data(let data): "<span class=\"bytes\">\(data.count.grouped) bytes</span>"
    default: cut(value.shownText)
    }
  }

  /// A target in a table or a list: its label, or its ID.
  static func link(to id: ObjectID, label: String?) -> HTML {
    guard let label, !label.isEmpty else {
      return "<a href=\"\(PageAddress.object(id))\">\(id.shownText)</a>"
    }
    return "<a href=\"\(PageAddress.object(id))\" title=\"\(id.shownText)\">\(cut(label))</a>"
  }

  /// A value on the page of its object.
  ///
  /// - Parameter file: the address of the whole value.
  static func whole(_ value: PropertyValue, file: PageAddress) -> HTML {
    switch value {
    case .null: absent
    case .string(""): empty
    case .data(let data):
      """
      <code class="hex">\(hex(data))</code> <a href="\(file)" download>Save \
      \(data.count.grouped) bytes</a>
      """
    default: text(value.shownText, file: file)
    }
  }

  private static func text(_ text: String, file: PageAddress) -> HTML {
    let shown = Substring(text.unicodeScalars.prefix(pageScalarCountMax))
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).safeInTerminal }.joined(separator: "\n")
    guard shown.endIndex < text.endIndex else { return "<span class=\"text\">\(lines)</span>" }
    return """
      <span class="text">\(lines)…</span> <a href="\(file)" download>Save all \
      \(text.utf8.count.grouped) bytes</a>
      """
  }

  private static func cut(_ text: String) -> HTML {
    let shown = Substring(text.unicodeScalars.prefix(cellScalarCountMax))
    return shown.endIndex == text.endIndex
      ? "<bdi>\(text.safeInTerminal)</bdi>" : "<bdi>\(String(shown).safeInTerminal)</bdi>…"
  }

  private static func hex(_ data: Data) -> String {
    let shown = data.prefix(16).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined(separator: " ")
    return data.count > 16 ? shown + " …" : shown
  }

  private static let absent: HTML =
    "<span class=\"absent\" title=\"no value\" aria-label=\"no value\">–</span>"
  private static let empty: HTML = "<span class=\"absent\">empty</span>"
}

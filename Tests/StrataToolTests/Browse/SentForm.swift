// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The form of a page, as a browser would send it: with each field at the value that the page gives
/// it.
struct SentForm {
  private(set) var fields: [(name: String, value: String)] = []

  /// - Parameter page: the HTML of a page with one form whose method is POST.
  init(in page: String) throws {
    let start = try #require(page.range(of: "method=\"post\""))
    let end = try #require(page.range(of: "</form>", range: start.upperBound..<page.endIndex))
    let form = String(page[start.upperBound..<end.lowerBound])
    let control = /<(input|textarea|select)([^>]*)>/
    for match in form.matches(of: control) {
      let attributes = String(match.output.2)
      guard let name = Self.attribute("name", in: attributes) else { continue }
      let rest = form[match.range.upperBound...]
      switch match.output.1 {
      case "textarea":
        let text = rest[..<(rest.range(of: "</textarea>")?.lowerBound ?? rest.endIndex)]
        // A parser of HTML drops the first line end; a browser sends others as CR LF.
        let value = Self.unescaped(String(text.first == "\n" ? text.dropFirst() : text))
        fields.append((name, value.replacingOccurrences(of: "\n", with: "\r\n")))
      case "select":
        let options = rest[..<(rest.range(of: "</select>")?.lowerBound ?? rest.endIndex)]
        let chosen =
          options.firstMatch(of: /<option selected>([^<]*)/)?.output.1
          ?? options.firstMatch(of: /<option>([^<]*)/)?.output.1
        fields.append((name, String(chosen ?? "")))
      default:
        if attributes.contains("type=\"checkbox\""), !attributes.contains(" checked") { continue }
        let value = Self.attribute("value", in: attributes) ?? ""
        fields.append((name, value.replacingOccurrences(of: "\n", with: "\r\n")))
      }
    }
  }

  var pairs: [(String, String)] { fields.map { ($0.name, $0.value) } }

  subscript(name: String) -> String? {
    get { fields.first { $0.name == name }?.value }
    set {
      fields.removeAll { $0.name == name }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// Types a text into the field of an attribute.
  mutating func type(_ text: String, into attribute: String) {
    self["set." + attribute] = text
    self["null." + attribute] = nil
  }

  private static func attribute(_ name: String, in text: String) -> String? {
    guard let start = text.range(of: " \(name)=\"") else { return nil }
    return unescaped(String(text[start.upperBound...].prefix { $0 != "\"" }))
  }

  private static func unescaped(_ text: String) -> String {
    ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"].reduce(text) {
      $0.replacingOccurrences(of: $1.key, with: $1.value)
    }.replacingOccurrences(of: "&amp;", with: "&")
  }
}

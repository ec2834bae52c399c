// SPDX-License-Identifier: Apache-2.0

/// A piece of a page. A text that is interpolated into it is escaped; only another piece is taken
/// as it is. So a value cannot become a part of the page's structure, whatever it has in it.
///
/// ```swift
/// let cell: HTML = "<td title=\"\(name)\">\(value)</td>"
/// ```
///
/// Attributes are always in double quotation marks.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  private(set) var text: String

  init() { text = "" }
  init(stringLiteral literal: String) { text = literal }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate(set) var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ html: HTML) { text += html.text }
    mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
    mutating func appendInterpolation(_ number: UInt64) { text += "\(number)" }
    mutating func appendInterpolation(_ address: PageAddress) { appendEscaped(address.text) }
    mutating func appendInterpolation(_ value: String) { appendEscaped(value) }

    private mutating func appendEscaped(_ value: String) {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
  }

  static func += (left: inout HTML, right: HTML) { left.text += right.text }
}

extension Sequence<HTML> {
  func joined(separator: String = "") -> HTML {
    var joined = HTML()
    for (index, piece) in enumerated() {
      if index > 0 { joined += HTML(stringLiteral: separator) }
      joined += piece
    }
    return joined
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation

/// JSON in the form of Foundation's encoder with sorted keys, joined from the texts of its parts.
///
/// A store compares such texts at each opening. Writing them with the encoder, or decoding the
/// stored text, would take longer than all the rest of the opening.
package enum JSONText {
  package static func string(_ string: String) -> String {
    let isPlain = string.utf8.allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "/")
    }
    if isPlain { return "\"" + string + "\"" }
    guard let encoded = try? JSONEncoder().encode(string) else {
      preconditionFailure("a string is always encodable")
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  package static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }

  /// - Parameter members: in the order of their names. A member without a text is left out.
  package static func object(_ members: KeyValuePairs<String, String?>) -> String {
    object(Array(members))
  }

  package static func object(_ members: [(key: String, value: String?)]) -> String {
    var text = "{"
    for case (let name, let value?) in members {
      if text.utf8.count > 1 { text += "," }
      text += string(name)
      text += ":"
      text += value
    }
    return text + "}"
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives

/// Writes JSON in the form of Foundation's encoder with sorted keys.
///
/// A store compares such texts at each opening. Writing them with the encoder, or decoding the
/// stored text, would take longer than all the rest of the opening.
///
/// ```
/// var json = JSONWriter()
/// json.object {
///   $0.member("isAbstract", false)
///   $0.member("name", "Person")
/// }
/// ```
package struct JSONWriter {
  /// The UTF-8 of what is written.
  package private(set) var text: [UInt8] = []

  package init() {}

  // MARK: - Members of an object

  // The caller writes members in the order of their names.

  package mutating func member(_ name: String, _ writeValue: (inout JSONWriter) -> Void) {
    string(name)
    text.append(UInt8(ascii: ":"))
    writeValue(&self)
  }

  package mutating func member(_ name: String, _ value: String) {
    member(name) { $0.string(value) }
  }

  package mutating func member(_ name: String, _ value: Bool) {
    member(name) { $0.append(value ? "true" : "false") }
  }

  package mutating func member(_ name: String, _ value: some BinaryInteger) {
    member(name) { $0.append("\(value)") }
  }

  // MARK: - Values

  package mutating func object(_ writeMembers: (inout JSONWriter) -> Void) {
    separate()
    text.append(UInt8(ascii: "{"))
    writeMembers(&self)
    text.append(UInt8(ascii: "}"))
  }

  package mutating func array<Element>(
    _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    separate()
    text.append(UInt8(ascii: "["))
    for element in elements { write(&self, element) }
    text.append(UInt8(ascii: "]"))
  }

  package mutating func array(_ strings: [String]) { array(strings) { $0.string($1) } }

  package mutating func string(_ string: String) {
    separate()
    let isPlain = string.utf8.allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "/")
    }
    guard isPlain else {
      guard let encoded = try? JSONEncoder().encode(string) else {
        stopProgram("a string is always encodable")
      }
      return text.append(contentsOf: encoded)
    }
    text.append(UInt8(ascii: "\""))
    append(string)
    text.append(UInt8(ascii: "\""))
  }

  // MARK: - Parts

  /// Writes a comma, if a value or a member precedes. None ends as these bytes do.
  private mutating func separate() {
    switch text.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: text.append(UInt8(ascii: ","))
    }
  }

  private mutating func append(_ part: String) {
    var part = part
    part.withUTF8 { text.append(contentsOf: $0) }
  }
}

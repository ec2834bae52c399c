// SPDX-License-Identifier: Apache-2.0
import StrataDump

/// Named values of a report, as aligned lines or as one JSON object.
struct FieldList {
  private var fields: [(name: String, text: String, value: JSONValue)] = []

  /// Adds a field. Its name in JSON is the title in camel case.
  mutating func add(_ title: String, _ text: String, _ value: JSONValue) {
    fields.append((title, text, value))
  }

  mutating func add(_ title: String, _ text: String) { add(title, text, .string(text)) }

  mutating func add(_ title: String, _ count: Int) {
    add(title, count.grouped, .integer(count))
  }

  mutating func add(_ title: String, bytes count: Int) {
    add(title, count.asBytes, .integer(count))
  }

  var json: JSONValue {
    .object(fields.map { JSONValue.Member(name: Self.camelCase($0.name), value: $0.value) })
  }

  /// Writes one line for each field that has a text.
  func write(to output: inout StandardOutput) throws {
    // Names too may be a stranger's: `info` lists entities by their names.
    let shown = fields.filter { !$0.text.isEmpty }
      .map { (name: $0.name.safeInTerminal, text: $0.text.safeInTerminal) }
    let width = shown.map(\.name.count).max() ?? 0
    for field in shown {
      let padding = String(repeating: " ", count: width - field.name.count)
      try output.writeLine(StandardOutput.bold(field.name) + padding + "  " + field.text)
    }
  }

  private static func camelCase(_ title: String) -> String {
    let words = title.split(separator: " ")
    return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
  }
}

extension Substring {
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

extension Int {
  /// The digits in groups of three.
  var grouped: String {
    var grouped = ""
    let digits = "\(magnitude)"
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    return self < 0 ? "-" + grouped : grouped
  }

  /// A number of bytes, with the exact one behind a rounded one.
  var asBytes: String {
    if self < 1_024 { return "\(self) bytes" }
    var value = Double(self)
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
      value /= 1_024
      if value < 1_024 || unit == "TiB" {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit) (\(grouped) bytes)"
      }
    }
    return "\(grouped) bytes"
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A file of tab-separated values, whose first line names the columns.
struct Table {
  let rows: [Row]

  init(_ name: String, in folder: URL) throws {
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    let lines = text.split(separator: "\n")
    let columns = lines.first?.split(separator: "\t").map(String.init) ?? []
    let numbers = Dictionary(uniqueKeysWithValues: zip(columns, columns.indices))
    rows = try lines.dropFirst().enumerated().map { index, line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count == columns.count else { throw TableError(file: name, line: index + 2) }
      return Row(file: name, line: index + 2, columns: numbers, fields: fields)
    }
  }

  /// One line of a table.
  struct Row: Sendable {
    let file: String
    let line: Int
    let columns: [String: Int]
    let fields: [Substring]

    /// The text in `column`; empty if the table has no such column.
    subscript(column: String) -> String { columns[column].map { String(fields[$0]) } ?? "" }

    func optional(_ column: String) -> String? { self[column].isEmpty ? nil : self[column] }

    func list(_ column: String) -> [String] { self[column].split(separator: ",").map(String.init) }

    func number<Number: LosslessStringConvertible>(_ column: String) throws -> Number {
      guard let number = Number(self[column]) else { throw TableError(file: file, line: line) }
      return number
    }
  }
}

/// A line that does not have the fields of its table.
public struct TableError: Error, CustomStringConvertible {
  public let file: String
  /// Counted from 1.
  public let line: Int

  public var description: String { "\(file):\(line): the line is malformed" }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A file of tab-separated values with a header line, which is read sequentially.
///
/// The file is mapped, and only the rows of the last call are in memory as text. A table may be
/// much larger than the memory.
struct Table {
  /// The file's name without its folder.
  let name: String
  private let columns: [String]
  private let bytes: Data
  private var position: Data.Index
  private var line = 0

  /// Opens `name` in `folder` and reads its header line.
  ///
  /// - Throws: `.unreadable` if the file cannot be read, `.malformed` if its columns are not
  ///   `columns`.
  init(_ name: String, in folder: URL, columns: String...) throws(QuickstartError) {
    let file = folder.appendingPathComponent(name)
    do { bytes = try Data(contentsOf: file, options: .mappedIfSafe) } catch {
      let isMissing = !FileManager.default.fileExists(atPath: file.path)
      throw .unreadable(
        path: file.path, problem: isMissing ? "there is no such file" : error.localizedDescription)
    }
    self.name = name
    self.columns = columns
    position = bytes.startIndex
    guard try nextFields() == columns else {
      throw .malformed(
        file: name, line: 1, problem: "expected the columns \(columns.joined(separator: ", "))")
    }
  }

  /// The fraction of the file that has been read, from 0 to 1.
  var fractionRead: Double { Double(position - bytes.startIndex) / Double(bytes.count) }

  /// Returns the next `count` rows, or fewer at the end of the file; nil if there are no more.
  ///
  /// - Throws: `.malformed` for a row with the wrong number of columns, or text that is not UTF-8.
  mutating func nextRows(_ count: Int) throws(QuickstartError) -> [Row]? {
    var rows: [Row] = []
    while rows.count < count, let fields = try nextFields() {
      guard fields.count == columns.count else {
        throw .malformed(
          file: name, line: line,
          problem: "expected \(columns.count) columns, found \(fields.count)")
      }
      rows.append(Row(file: name, line: line, columns: columns, fields: fields))
    }
    return rows.isEmpty ? nil : rows
  }

  private mutating func nextFields() throws(QuickstartError) -> [String]? {
    guard position < bytes.endIndex else { return nil }
    let rest = bytes[position...]
    let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    line += 1
    guard let text = String(validating: rest[..<end], as: UTF8.self) else {
      throw .malformed(file: name, line: line, problem: "the line is not UTF-8")
    }
    position = min(end + 1, bytes.endIndex)
    return text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  }
}

/// One line of a table.
struct Row: Sendable {
  let file: String
  let line: Int
  fileprivate let columns: [String]
  fileprivate let fields: [String]

  /// The text in `column`, which may be empty.
  ///
  /// - Precondition: the table has the column.
  subscript(column: String) -> String {
    guard let index = columns.firstIndex(of: column) else {
      fatalError("\(file) has no column \(column)")
    }
    return fields[index]
  }

  /// Returns the text in `column`; nil if it is empty.
  func optional(_ column: String) -> String? {
    let text = self[column]
    return text.isEmpty ? nil : text
  }

  /// Returns the comma-separated values in `column`.
  func list(_ column: String) -> [String] {
    self[column].split(separator: ",").map(String.init)
  }

  func integer(_ column: String) throws(QuickstartError) -> Int {
    guard let number = Int(self[column]) else {
      throw malformed("expected a whole number in column \(column)")
    }
    return number
  }

  func number(_ column: String) throws(QuickstartError) -> Double {
    guard let number = Double(self[column]), number.isFinite else {
      throw malformed("expected a number in column \(column)")
    }
    return number
  }

  /// Returns the error for a problem in this line.
  func malformed(_ problem: String) -> QuickstartError {
    .malformed(file: file, line: line, problem: problem)
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataDump

/// Rows of a table in columns of equal width, written while they come.
///
/// The first rows decide the widths, so a table of any length takes the memory of these. A
/// longer cell of a later row makes its row longer.
struct TextTable {
  /// How one column is aligned.
  struct Column {
    let title: String
    let isNumeric: Bool

    init(_ title: String, isNumeric: Bool = false) {
      self.title = title.safeInTerminal
      self.isNumeric = isNumeric
    }
  }

  private static let measuredCount = 1_000
  private static let widthMax = 60

  private let columns: [Column]
  private var waiting: [[String]] = []
  private var widths: [Int]?

  init(_ columns: [Column]) { self.columns = columns }

  mutating func append(_ cells: [String], to output: inout StandardOutput) throws {
    let cells = cells.map { Self.cut($0.safeInTerminal) }
    if let widths { return try write(cells, widths, to: &output) }
    waiting.append(cells)
    if waiting.count >= Self.measuredCount { try begin(&output) }
  }

  mutating func finish(_ output: inout StandardOutput) throws {
    if widths == nil { try begin(&output) }
  }

  private mutating func begin(_ output: inout StandardOutput) throws {
    let widths = columns.indices.map { index in
      waiting.reduce(columns[index].title.count) { max($0, $1[index].count) }
    }
    self.widths = widths
    try output.writeLine(StandardOutput.bold(line(columns.map(\.title), widths)))
    for cells in waiting { try write(cells, widths, to: &output) }
    waiting = []
  }

  private func write(_ cells: [String], _ widths: [Int], to output: inout StandardOutput) throws {
    try output.writeLine(line(cells, widths))
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
      let isLast = index == cells.count - 1
      if columns[index].isNumeric {
        line += padding + cell
      } else {
        line += isLast ? cell : cell + padding
      }
      if !isLast { line += "  " }
    }
    return line
  }

  private static func cut(_ cell: String) -> String {
    cell.count > widthMax ? cell.prefix(widthMax - 1) + "…" : cell
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataDump

/// Lines of comma-separated values, as RFC 4180 has them: cells with commas, quotation marks or
/// line ends are in quotation marks. On a terminal, unsafe characters are escaped; in a file or a
/// pipe, the cells are exact.
enum CommaSeparated {
  /// - Parameter escapesFormulas: whether a cell that a spreadsheet would take for a formula, which
  ///   may send other cells to a stranger, begins with an apostrophe.
  static func line(
    _ cells: [String], escapesFormulas: Bool = false,
    isTerminal: Bool = StandardOutput.isTerminal
  ) -> String {
    cells.map { cell in
      let shown =
        (escapesFormulas && isFormula(cell) ? "'" : "")
        + (isTerminal ? cell.safeInTerminal : cell)
      let isPlain = shown.unicodeScalars.allSatisfy {
        $0 != "," && $0 != "\"" && $0 != "\n" && $0 != "\r"
      }
      // Without quotation marks, a line of one empty cell would be an empty line.
      if isPlain, !(shown.isEmpty && cells.count == 1) { return shown }
      return "\""
        + shown.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"") + "\""
    }.joined(separator: ",")
  }

  /// The characters are OWASP's ("CSV Injection"). Numbers may begin with a sign.
  private static func isFormula(_ cell: String) -> Bool {
    guard let first = cell.unicodeScalars.first else { return false }
    switch first {
    case "=", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
    case "+", "-": return Double(cell) == nil
    default: return false
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataDump

/// Lines of comma-separated values, as RFC 4180 has them: cells with commas, quotation marks or
/// line ends are in quotation marks. On a terminal, unsafe characters are escaped; in a file or a
/// pipe, the cells are exact.
enum CommaSeparated {
  static func line(_ cells: [String], isTerminal: Bool = StandardOutput.isTerminal) -> String {
    cells.map { cell in
      let shown = isTerminal ? cell.safeInTerminal : cell
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
}

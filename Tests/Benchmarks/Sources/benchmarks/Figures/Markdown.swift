// SPDX-License-Identifier: Apache-2.0
import Foundation

// How figures are written for people.

/// Markdown whose columns are as wide as they must be.
func markdownTable(_ headings: [String], _ rows: [[String]]) -> [String] {
  let widths = headings.indices.map { column in
    ([headings] + rows).map { $0[column].count }.max() ?? 0
  }
  func line(_ cells: [String]) -> String {
    "| "
      + zip(cells, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }.joined(separator: " | ") + " |"
  }
  let rule = widths.map { String(repeating: "-", count: max(3, $0)) }
  return [line(headings), "| " + rule.joined(separator: " | ") + " |"] + rows.map(line)
}

/// A number in full, with commas between thousands; one decimal if it is below 100.
func grouped(_ value: Double) -> String {
  if value < 100 { return String(format: "%.1f", value) }
  var digits = String(Int(value.rounded()))
  var index = digits.count - 3
  while index > 0 {
    digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
    index -= 3
  }
  return digits
}

/// A ratio or a target: two decimals below ten, none above.
func shortNumber(_ value: Double) -> String {
  if value == value.rounded() { return String(Int(value)) }
  return String(format: value < 10 ? "%.2f" : "%.0f", value)
}

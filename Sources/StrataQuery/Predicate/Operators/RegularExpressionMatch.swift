// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Whether the whole text matches a regular expression in ICU's syntax. Core Data: MATCHES.
///
/// The condition is a `Question`, because matching can fail: see `WholePattern`.
struct RegularExpressionMatch: OperatorNode {
  var left: any OperandNode
  let pattern: any OperandNode
  let options: TextOptions

  var extent: TreeExtent { left.extent.beside(pattern.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let left = try resolver.text(left)
    guard let text = try resolver.pattern(pattern) else { return Verdict(isTrue: false) }
    let pattern = try WholePattern(text, options)
    return Question("\(left) matches\(options)") { row, reader in
      guard case .string(let text) = try left.value(of: row, reader) else { return false }
      return try pattern.matches(text)
    }
  }
}

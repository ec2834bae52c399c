// SPDX-License-Identifier: Apache-2.0

/// Whether the whole text matches a pattern with wildcards. Core Data: LIKE.
struct WildcardMatch: OperatorNode {
  var left: any OperandNode
  let pattern: any OperandNode
  let options: TextOptions

  var extent: TreeExtent { left.extent.beside(pattern.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let left = try resolver.text(left)
    guard let text = try resolver.pattern(pattern) else { return Verdict(isTrue: false) }
    let pattern = TextPattern(text, options)
    let prefix = options.isEmpty ? pattern.prefix : ""
    return left.condition(TextTest(name: "like\(options)", prefix: prefix) { pattern.matches($0) })
  }
}

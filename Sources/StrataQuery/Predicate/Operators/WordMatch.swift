// SPDX-License-Identifier: Apache-2.0

/// Whether a text has the words of a query: `$0.text.contains(words: "object sto*")`.
struct WordMatch: OperatorNode {
  var left: any OperandNode
  let words: any OperandNode

  init(_ left: any OperandNode, _ words: any OperandNode) {
    self.left = left
    self.words = words
  }

  var extent: TreeExtent { left.extent.beside(words.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let left = try resolver.text(left)
    guard let words = try resolver.pattern(words) else { return Verdict(isTrue: false) }
    return left.condition(WordTest(query: try WordQuery(words)))
  }
}

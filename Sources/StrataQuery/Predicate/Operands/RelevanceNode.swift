// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// How well a text fits a query for words (`Relevance`).
struct RelevanceNode: OperandNode {
  private let text: any OperandNode
  private let words: String
  let extent: TreeExtent

  init(of text: any OperandNode, to words: String) {
    self.text = text
    self.words = words
    extent = text.extent.enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let text = try resolver.text(text)
    let query = try WordQuery(words)
    guard let path = text.property, path.composite == nil,
      let index = resolver.schema.entity(named: path.entityName)?.wordIndex(at: path.slot)
    else {
      throw .withoutWordIndex(
        entity: text.property?.entityName ?? resolver.entity.description.name,
        property: text.property?.name ?? text.description)
    }
    return Relevance(path, query, index.number)
  }
}

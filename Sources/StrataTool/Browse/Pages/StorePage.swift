// SPDX-License-Identifier: Apache-2.0
import Strata

/// The first page: the store's identity, size and history, and its model.
struct StorePage {
  let store: BrowsedStore

  func page() throws -> Page {
    let metadata = try store.coordinator.metadata()
    let status = try store.coordinator.historyStatus()
    let count = metadata.entities.reduce(0) { $0 + $1.objectCount }
    return Page(
      title: "Store",
      content: """
        <h1>\(store.name)</h1>
        <dl class="facts">
        \(fact("objects", count.grouped))
        \(fact("size", metadata.byteCount.asBytes))
        \(fact("history", Self.describe(status)))
        \(fact("store", metadata.storeID.uuidString))
        \(fact("format", "\(metadata.formatVersion)"))
        \(fact("models", "\(metadata.modelVersion)"))
        \(metadata.keys.isEmpty ? "" : fact("metadata", metadata.keys.joined(separator: ", ")))
        </dl>
        <h2>Model</h2>
        \(entities.map(html).joined(separator: "\n"))
        """)
  }

  private var entities: [EntityDescription] {
    store.coordinator.model.entities.sorted { $0.name < $1.name }
  }

  private func fact(_ name: String, _ value: String) -> HTML {
    "<div><dt>\(name)</dt><dd>\(value)</dd></div>"
  }

  private static func describe(_ status: HistoryStatus?) -> String {
    guard let status else { return "none is kept" }
    let (oldest, newest) = (status.oldestToken.generation, status.newestToken.generation)
    return oldest == newest
      ? "kept, no transactions" : "transactions \(oldest + 1) to \(newest)"
  }

  private func html(_ entity: EntityDescription) -> HTML {
    """
    <details class="entity">
    <summary><a href="\(PageAddress.entity(entity.name))">\(entity.name)</a>\
    \(entity.superentity.map { ": \($0.name)" } ?? "")\(entity.isAbstract ? " (abstract)" : "")\
    </summary>
    <table>
    <tbody>
    \(entity.properties.map(html).joined(separator: "\n"))
    </tbody>
    </table>
    \(indexes(of: entity))
    </details>
    """
  }

  private func html(_ property: PropertyDescription) -> HTML {
    switch property {
    case .attribute(let attribute):
      let words = [
        attribute.isUnique ? "unique" : attribute.isIndexed ? "indexed" : nil,
        attribute.isExternal ? "external" : nil, attribute.isTransient ? "transient" : nil,
      ].compactMap { $0 }.joined(separator: ", ")
      return """
        <tr><th scope="row">\(attribute.name)</th>\
        <td>\(attribute.type.shownName)\(attribute.isOptional ? "?" : "")</td><td>\(words)</td></tr>
        """
    case .relationship(let relationship):
      let target = relationship.destination().name
      let kind =
        relationship.isToMany ? relationship.isOrdered ? "to many, ordered" : "to many" : "to one"
      return """
        <tr><th scope="row">\(relationship.name)</th>\
        <td><a href="\(PageAddress.entity(target))">\(target)</a></td><td>\(kind)</td></tr>
        """
    }
  }

  private func indexes(of entity: EntityDescription) -> HTML {
    let lines =
      entity.uniqueTogether.map { "unique together: \($0.joined(separator: ", "))" }
      + entity.indexes.map { "index: \($0.joined(separator: ", "))" }
    return lines.map { "<p class=\"hint\">\($0)</p>" }.joined(separator: "\n")
  }
}

// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata
  import StrataDump
  import StrataModel

  /// `strata model`.
  struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "model", abstract: "Prints the model that a store has inside.",
      discussion: """
        A store keeps entities, properties, indexes and constraints. Defaults, rules, derivations \
        and delete rules are the program's.
        """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var report: ReportOptions

    func run() throws {
      try store.requireFile()
      let document = ModelDocument(try ManagedObjectModel(ofStoreAt: store.url))
      var output = StandardOutput()
      if report.json {
        try output.writeLine(document.json)
      } else {
        for entity in document.outline.entities { try write(entity, to: &output) }
      }
      try output.flush()
    }

    private func write(_ entity: ModelOutline.Entity, to output: inout StandardOutput) throws {
      var title = StandardOutput.bold(entity.name.safeInTerminal)
      if let superentity = entity.superentity { title += ": \(superentity)".safeInTerminal }
      if entity.isAbstract { title += " (abstract)" }
      try output.writeLine(title)
      let properties =
        entity.attributes.map { ($0.name, describe($0)) }
        + entity.relationships.map { ($0.name, describe($0)) }
      let width = properties.map(\.0.count).max() ?? 0
      for (name, description) in properties {
        let padding = String(repeating: " ", count: width - name.count)
        try output.writeLine("  \((name + padding).safeInTerminal)  \(description.safeInTerminal)")
      }
      for list in entity.uniqueTogether ?? [] {
        try output.writeLine("  unique together: \(list.joined(separator: ", "))".safeInTerminal)
      }
      for list in entity.indexes ?? [] {
        try output.writeLine("  index: \(list.joined(separator: ", "))".safeInTerminal)
      }
    }

    private func describe(_ attribute: ModelOutline.Attribute) -> String {
      var words = ["\(attribute.type)" + (attribute.isOptional ? "?" : "")]
      if attribute.isUnique { words.append("unique") }
      if attribute.isIndexed, !attribute.isUnique { words.append("indexed") }
      if attribute.isFullText == true { words.append("full text") }
      if attribute.isTransient { words.append("transient") }
      if attribute.isExternal == true { words.append("external") }
      return words.joined(separator: ", ")
    }

    private func describe(_ relationship: ModelOutline.Relationship) -> String {
      let kind =
        switch relationship.kind {
        case .toOne: "to one"
        case .toMany: "to many"
        case .orderedToMany: "to many, ordered,"
        }
      return "\(kind) \(relationship.destination)"
        + (relationship.inverse.map { ", inverse \($0)" } ?? "")
    }
  }
#endif

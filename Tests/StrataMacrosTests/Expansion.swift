// SPDX-License-Identifier: Apache-2.0

#if Macros
  import StrataMacros
  import SwiftDiagnostics
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros

  /// The macros' expansion of a source text, and their diagnostics.
  struct Expansion {
    let text: String
    /// `<line>:<column> <message>`, in the order of the source.
    let mistakes: [String]
    /// The source with each mistake's first remedy applied.
    let remedied: String
    /// The descriptions of the remedies.
    let remedies: [String]

    init(_ source: String) {
      text = Self.expand(source, [entity, attribute, relationship, persisted]).text

      // Each macro by itself for its mistakes: one that rewrites the source moves the others'
      // places.
      let parts = [[entity], [attribute, relationship]].map { Self.expand(source, $0).context }
      let found = parts.flatMap { context in
        context.diagnostics.map { diagnostic in
          let place = context.location(
            for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
          return (place, "\(place.line):\(place.column) \(diagnostic.message)")
        }
      }
      mistakes = found.sorted { $0.0.offset < $1.0.offset }.map(\.1)

      var edits: [Edit] = []
      for context in parts {
        for fixIt in context.diagnostics.compactMap(\.fixIts.first) {
          edits += Edit.all(of: fixIt, in: context)
        }
      }
      edits.sort { $0.start < $1.start }
      remedies = edits.map(\.message)
      var bytes = Array(source.utf8)
      for edit in edits.reversed() {
        bytes.replaceSubrange(edit.start..<edit.start + edit.count, with: edit.text.utf8)
      }
      remedied = String(decoding: bytes, as: UTF8.self)
    }

    private static func expand(
      _ source: String, _ macros: [(name: String, spec: MacroSpec)]
    ) -> (text: String, context: BasicMacroExpansionContext) {
      let file = Parser.parse(source: source)
      let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
      let expanded = file.expand(
        macroSpecs: Dictionary(uniqueKeysWithValues: macros.map { ($0.name, $0.spec) }),
        contextGenerator: {
          BasicMacroExpansionContext(
            sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        }, indentationWidth: .spaces(2))
      return (expanded.description, context)
    }
  }

  /// The changes of a remedy in the source.
  private struct Edit {
    let message: String
    let start: Int
    let count: Int
    let text: String

    static func all(of fixIt: FixIt, in context: BasicMacroExpansionContext) -> [Edit] {
      fixIt.changes.compactMap { change in
        guard case .replace(let old, let new) = change else { return nil }
        let start = context.location(for: old.position, anchoredAt: old, fileName: "Test.swift")
        return Edit(
          message: fixIt.message.message, start: start.offset, count: old.totalLength.utf8Length,
          text: new.description)
      }
    }
  }

  // MARK: - The macros by the names that users write

  private let entity = (
    name: "Entity",
    spec: MacroSpec(
      type: EntityMacro.self,
      conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("Entity")))])
  )
  private let attribute = (name: "Attribute", spec: MacroSpec(type: MarkerMacro.self))
  private let relationship = (name: "Relationship", spec: MacroSpec(type: MarkerMacro.self))
  private let persisted = (name: "_Persisted", spec: MacroSpec(type: PersistedMacro.self))
#endif

// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftDiagnostics
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  /// `@Relationship`: read by `@Entity`; by itself it only reports what is wrong with it.
  package enum RelationshipMacro: PeerMacro {
    package static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
      Marker.relationship.check(node, on: declaration, in: context)
      return []
    }
  }

  extension MarkedProperty {
    func checkRelationship(report: Report) {
      guard variable.attribute(named: Marker.attribute.rawValue) == nil else {
        return report(Mistake.bothMarkers(name).diagnostic(at: node))
      }
      let symmetric = node.option("symmetric")
      if let symmetric, node.labeled("inverse") != nil {
        report(Mistake.symmetricWithInverse.diagnostic(at: symmetric))
      }
      // `City!` is reported as such, by @Entity.
      guard let type, !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return }
      let written = type.trimmedDescription
      let spelling = TypeSpelling(type)
      if let refusal = refusal(of: type, spelling) { return report(refusal) }
      if let symmetric, !spelling.isUnorderedToMany {
        report(Mistake.symmetricNotToMany(type: written).diagnostic(at: symmetric))
      }
      if let count = node.rule("count"), !spelling.isToMany {
        report(Mistake.countOfToOne(name).diagnostic(at: count))
      }
      if let ordered = node.labeled("ordered"), let fit = spelling.contradiction(to: ordered) {
        report(Mistake.orderedMismatch(type: written, instead: fit).diagnostic(at: ordered))
      }
    }

    /// What is wrong with the type, if it is not one of a relationship. It must be written as such,
    /// for what a type alias stands for cannot be seen.
    private func refusal(of type: TypeSyntax, _ spelling: TypeSpelling) -> Diagnostic? {
      let written = type.trimmedDescription
      let better: TypeSyntax
      switch spelling {
      case .toMany, .orderedToMany, .optional(.other): return nil
      case .value, .optional(.value), .optional(.optional):
        return Mistake.relationshipOfValue(name, type: written).diagnostic(at: node)
      case .other:
        better = TypeSyntax(OptionalTypeSyntax(wrappedType: type.trimmed))
        return Mistake.requiredToOne(type: written)
          .diagnostic(at: type, remedies: [.replace(type, by: better)])
      case .collection(let element, let isOrdered),
        .optional(.collection(let element, let isOrdered)):
        better = "\(raw: isOrdered ? "OrderedToMany" : "ToMany")<\(element.trimmed)>"
      case .optional(.toMany(let target)): better = "ToMany<\(target.trimmed)>"
      case .optional(.orderedToMany(let target)): better = "OrderedToMany<\(target.trimmed)>"
      }
      return Mistake.relationshipOfCollection(type: written, instead: better.trimmedDescription)
        .diagnostic(at: type, remedies: [.replace(type, by: better)])
    }
  }
#endif

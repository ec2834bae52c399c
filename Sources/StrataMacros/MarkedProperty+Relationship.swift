// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder

  extension MarkedProperty {
    func checkRelationship(report: Report) {
      guard variable.attribute(named: Marker.attribute.rawValue) == nil else {
        return report(.bothMarkers(name), at: node)
      }
      let symmetric = node.option("symmetric")
      if let symmetric, node.labeled("inverse") != nil {
        report(.symmetricWithInverse, at: symmetric)
      }
      // `City!` is reported as such, by @Entity.
      guard let type, !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return }
      let written = type.trimmedDescription
      let spelling = TypeSpelling(type)
      if refuses(type, spelling, report: report) { return }
      if let symmetric, !spelling.isUnorderedToMany {
        report(.symmetricNotToMany(type: written), at: symmetric)
      }
      if let count = node.rule("count"), !spelling.isToMany {
        report(.countOfToOne(name), at: count)
      }
      if let ordered = node.labeled("ordered"), let fit = spelling.contradiction(to: ordered) {
        report(.orderedMismatch(type: written, instead: fit), at: ordered)
      }
    }

    /// Reports a type that is not a relationship's. It must be spelled out: a macro cannot see the
    /// type behind a type alias.
    ///
    /// - Returns: whether it did.
    private func refuses(_ type: TypeSyntax, _ spelling: TypeSpelling, report: Report) -> Bool {
      let written = type.trimmedDescription
      let better: TypeSyntax
      switch spelling {
      case .toMany, .orderedToMany, .optional(.other): return false
      case .value, .optional(.value), .optional(.optional):
        report(.relationshipOfValue(name, type: written), at: node)
        return true
      case .other:
        better = TypeSyntax(OptionalTypeSyntax(wrappedType: type.trimmed))
        report(.requiredToOne(type: written), at: type, remedies: [.replace(type, by: better)])
        return true
      case .collection(let element, let isOrdered),
        .optional(.collection(let element, let isOrdered)):
        better = "\(raw: isOrdered ? "OrderedToMany" : "ToMany")<\(element.trimmed)>"
      case .optional(.toMany(let target)): better = "ToMany<\(target.trimmed)>"
      case .optional(.orderedToMany(let target)): better = "OrderedToMany<\(target.trimmed)>"
      }
      report(
        .relationshipOfCollection(type: written, instead: better.trimmedDescription), at: type,
        remedies: [.replace(type, by: better)])
      return true
    }
  }
#endif

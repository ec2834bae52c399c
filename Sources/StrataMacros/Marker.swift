// SPDX-License-Identifier: Apache-2.0

#if Macros
  package import SwiftSyntax
  package import SwiftSyntaxMacros

  /// `@Attribute` and `@Relationship`. They mark a property for `@Entity`, which reads them, and
  /// generate nothing themselves; but each reports mistakes in its position and its arguments.
  enum Marker: String, CaseIterable, CustomStringConvertible {
    case attribute = "Attribute"
    case relationship = "Relationship"

    var description: String { "@" + rawValue }
  }

  /// A stored property with a marker.
  struct MarkedProperty {
    let marker: Marker
    let node: AttributeSyntax
    let variable: VariableDeclSyntax
    let name: String
    /// Nil if it is not written out, which `@Entity` reports.
    let type: TypeSyntax?

    init(_ marker: Marker, _ node: AttributeSyntax, on variable: VariableDeclSyntax) {
      self.marker = marker
      self.node = node
      self.variable = variable
      name = variable.firstName
      type = variable.bindings.first?.typeAnnotation?.type
    }

    /// Reports mistakes in the marker's arguments.
    func check(report: Report) {
      switch marker {
      case .attribute: checkAttribute(report: report)
      case .relationship: checkRelationship(report: report)
      }
    }
  }

  // MARK: - Placement

  /// The macro of both markers: it writes nothing, and reports mistakes wherever a user has put it.
  package enum MarkerMacro: PeerMacro {
    package static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
      guard let marker = node.name.flatMap(Marker.init) else { return [] }
      let report = Report(context.diagnose)
      guard let variable = declaration.as(VariableDeclSyntax.self),
        let type = context.lexicalContext.first?.as(ClassDeclSyntax.self),
        type.attributes.contains(where: { $0.as(AttributeSyntax.self)?.name == "Entity" })
      else {
        report(.misplaced(marker), at: node)
        return []
      }
      if variable.isOfType {
        report(.markerOnStatic(marker, variable.firstName), at: node)
      } else if variable.isComputed {
        report(.markerOnComputed(marker, variable.firstName), at: node)
      } else {
        MarkedProperty(marker, node, on: variable).check(report: report)
      }
      return []
    }
  }

  // MARK: - Reading attributes

  extension AttributeSyntax {
    /// The name without its module.
    var name: String? { attributeName.lastComponent?.bareText }

    var labeledArguments: [LabeledExprSyntax] {
      guard case .argumentList(let arguments)? = arguments else { return [] }
      return Array(arguments)
    }

    func labeled(_ label: String) -> ExprSyntax? {
      labeledArguments.first { $0.label?.text == label }?.expression
    }

    /// The argument without a label that names the case `option`: `.unique`.
    func option(_ option: String) -> ExprSyntax? {
      labeledArguments.first {
        $0.label == nil
          && $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == option
      }?.expression
    }
  }
#endif

// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// `@Attribute` and `@Relationship`. They mark a property for `@Entity`, which reads them, and
  /// write nothing themselves; but each reports what is wrong with where it stands and what it says.
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

    /// Reports what the marker says wrong.
    func check(report: Report) {
      switch marker {
      case .attribute: checkAttribute(report: report)
      case .relationship: checkRelationship(report: report)
      }
    }
  }

  // MARK: - Placement

  extension Marker {
    /// What the marker's macro does, wherever a user has put it: reports what is wrong.
    func check(
      _ node: AttributeSyntax, on declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) {
      let report = Report(context.diagnose)
      guard let variable = declaration.as(VariableDeclSyntax.self),
        let type = context.lexicalContext.first?.as(ClassDeclSyntax.self),
        type.attributes.contains(where: { $0.as(AttributeSyntax.self)?.name == "Entity" })
      else {
        return report(.misplaced(self), at: node)
      }
      if variable.isOfType {
        report(.markerOnStatic(self, variable.firstName), at: node)
      } else if variable.isComputed {
        report(.markerOnComputed(self, variable.firstName), at: node)
      } else {
        MarkedProperty(self, node, on: variable).check(report: report)
      }
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

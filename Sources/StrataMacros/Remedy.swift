// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// A fix that an editor may apply for a mistake: where one small edit makes the code right.
  struct Remedy {
    let fixIt: FixIt

    private struct Message: FixItMessage {
      let message: String
      let id: String
      var fixItID: MessageID { MessageID(domain: "Strata", id: id) }
    }

    private init(
      _ message: String, id: String, replacing old: some SyntaxProtocol, by new: some SyntaxProtocol
    ) {
      fixIt = FixIt(
        message: Message(message: message, id: id),
        changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
  }

  // MARK: - Types

  extension Remedy {
    static func replace(_ old: TypeSyntax, by new: TypeSyntax) -> Remedy {
      let new = new.trimmed.with(\.leadingTrivia, old.leadingTrivia)
        .with(\.trailingTrivia, old.trailingTrivia)
      return Remedy(
        "replace it by '\(new.trimmedDescription)'", id: "replaceType", replacing: old, by: new)
    }

    /// Writes the type out where the initial value makes it plain; none where it does not.
    static func annotate(_ binding: PatternBindingSyntax) -> [Remedy] {
      guard let type = binding.initializer?.value.plainType else { return [] }
      let annotation = TypeAnnotationSyntax(
        colon: .colonToken(trailingTrivia: .space),
        type: IdentifierTypeSyntax(name: .identifier(type, trailingTrivia: .space)))
      let new = binding.with(\.pattern.trailingTrivia, []).with(\.typeAnnotation, annotation)
      return [Remedy("insert ': \(type)'", id: "insertType", replacing: binding, by: new)]
    }

    /// Puts ManagedObject at the position of the superclass: before the protocols, if there are
    /// any.
    static func inherit(_ type: ClassDeclSyntax) -> Remedy {
      let message = "inherit from ManagedObject"
      let id = "insertSuperclass"
      guard let protocols = type.inheritanceClause?.inheritedTypes else {
        let name = type.name
        let new = name.with(\.tokenKind, .identifier(name.text + ": ManagedObject"))
        return Remedy(message, id: id, replacing: name, by: new)
      }
      let superclass = InheritedTypeSyntax(
        type: IdentifierTypeSyntax(name: .identifier("ManagedObject")),
        trailingComma: .commaToken(trailingTrivia: .space))
      return Remedy(message, id: id, replacing: protocols, by: [superclass] + protocols)
    }
  }

  // MARK: - Words to remove or replace

  extension Remedy {
    static func makeVariable(_ variable: VariableDeclSyntax) -> Remedy {
      let old = variable.bindingSpecifier
      let new = old.with(\.tokenKind, .keyword(.var))
      return Remedy("replace 'let' by 'var'", id: "makeVariable", replacing: old, by: new)
    }

    static func remove(_ modifier: DeclModifierSyntax, from variable: VariableDeclSyntax) -> Remedy
    {
      let rest = variable.modifiers.filter { $0.id != modifier.id }
      var new = variable.with(\.modifiers, rest)
      // Trivia before the modifier, such as a comment, moves before the token that followed it.
      if modifier.id == variable.modifiers.first?.id, variable.attributes.isEmpty {
        new.leadingTrivia = modifier.leadingTrivia
      }
      return Remedy(
        "remove '\(modifier.trimmedDescription)'", id: "removeModifier", replacing: variable,
        by: new)
    }

    static func removeInitializer(of binding: PatternBindingSyntax) -> Remedy {
      var new = binding.with(\.initializer, nil)
      new.trailingTrivia = binding.trailingTrivia
      return Remedy(
        "remove the default value", id: "removeDefault", replacing: binding, by: new)
    }

    static func replace(_ attribute: AttributeSyntax, by marker: Marker) -> Remedy {
      let name = attribute.attributeName
      let new = IdentifierTypeSyntax(name: .identifier(marker.rawValue))
        .with(\.leadingTrivia, name.leadingTrivia).with(\.trailingTrivia, name.trailingTrivia)
      return Remedy(
        "replace it by \(marker)", id: "replaceMarker", replacing: name, by: TypeSyntax(new))
    }
  }

  extension ExprSyntax {
    /// The type of a literal, or of a call that looks like an initialiser.
    fileprivate var plainType: String? {
      switch kind {
      case .integerLiteralExpr: "Int"
      case .floatLiteralExpr: "Double"
      case .booleanLiteralExpr: "Bool"
      case .stringLiteralExpr: "String"
      case .prefixOperatorExpr: self.as(PrefixOperatorExprSyntax.self)?.expression.plainType
      case .functionCallExpr:
        self.as(FunctionCallExprSyntax.self)?.calledExpression.as(DeclReferenceExprSyntax.self)
          .map(\.baseName.text).flatMap { $0.first?.isUppercase == true ? $0 : nil }
      default: nil
      }
    }
  }
#endif

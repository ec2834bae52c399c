// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  // The kind of property that a declaration declares.

  extension VariableDeclSyntax {
    /// Whether it belongs to the class, not to its objects.
    var isOfType: Bool {
      modifiers.contains {
        $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
      }
    }

    /// Whether it has a getter of the user's.
    var isComputed: Bool { bindings.contains(where: \.isComputed) }

    /// The name of the variable, or of the first of several.
    var firstName: String {
      let pattern = bindings.first?.pattern
      return pattern?.as(IdentifierPatternSyntax.self)?.identifier.bareText
        ?? pattern?.trimmedDescription ?? ""
    }

    func attribute(named name: String) -> AttributeSyntax? {
      attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.name == name }
    }
  }

  extension PatternBindingSyntax {
    /// `willSet` and `didSet`.
    var observers: [AccessorDeclSyntax] {
      guard case .accessors(let accessors)? = accessorBlock?.accessors else { return [] }
      return accessors.filter {
        $0.accessorSpecifier.tokenKind == .keyword(.willSet)
          || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
      }
    }

    fileprivate var isComputed: Bool {
      guard let block = accessorBlock else { return false }
      guard case .accessors(let accessors) = block.accessors else { return true }
      return accessors.count > observers.count
    }
  }
#endif

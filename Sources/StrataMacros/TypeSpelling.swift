// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// The properties of a type that its spelling shows. A macro sees the source only: the compiler
  /// alone knows whether `City` is an entity, a `Codable` struct or an enum.
  indirect enum TypeSpelling {
    /// `City?`, `Optional<City>`.
    case optional(TypeSpelling)
    case toMany(of: TypeSyntax)
    case orderedToMany(of: TypeSyntax)
    /// `[City]`, `Set<City>`: types that are mistaken for a to-many relationship.
    case collection(of: TypeSyntax, isOrdered: Bool)
    /// A type of the standard library or Foundation that is a plain value.
    case value(String)
    case other

    init(_ type: TypeSyntax) {
      if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
        let element = tuple.elements.first, element.firstName == nil
      {
        self.init(element.type)
      } else if let optional = type.as(OptionalTypeSyntax.self) {
        self = .optional(TypeSpelling(optional.wrappedType))
      } else if let array = type.as(ArrayTypeSyntax.self) {
        self.init(name: "Array", argument: array.element)
      } else if type.is(DictionaryTypeSyntax.self) || type.is(TupleTypeSyntax.self)
        || type.is(FunctionTypeSyntax.self)
      {
        self = .value(type.trimmedDescription)
      } else {
        self.init(name: type.lastComponent?.bareText ?? "", argument: type.firstGenericArgument)
      }
    }

    private init(name: String, argument: TypeSyntax?) {
      switch (name, argument) {
      case ("Optional", let wrapped?): self = .optional(TypeSpelling(wrapped))
      case ("ToMany", let target?): self = .toMany(of: target)
      case ("OrderedToMany", let target?): self = .orderedToMany(of: target)
      case ("Array", let element?), ("Set", let element?):
        if case .value(let value) = TypeSpelling(element) {
          self = .value("\(name)<\(value)>")
        } else {
          self = .collection(of: element, isOrdered: name == "Array")
        }
      case _ where Self.values.contains(name): self = .value(name)
      default: self = .other
      }
    }

    var isToMany: Bool {
      switch self {
      case .toMany, .orderedToMany: true
      default: false
      }
    }

    /// The to-many type in an optional one: `ToMany<City>` of `ToMany<City>?`; nil for other types.
    var toManyWithoutOptional: TypeSyntax? {
      guard case .optional = self else { return nil }
      switch unwrapped {
      case .toMany(let target): return "ToMany<\(target.trimmed)>"
      case .orderedToMany(let target): return "OrderedToMany<\(target.trimmed)>"
      default: return nil
      }
    }

    var isUnorderedToMany: Bool {
      if case .toMany = self { true } else { false }
    }

    /// The correction if the type does not fit the argument `ordered:`, of which the macro
    /// understands the literals only; nil if it fits.
    func contradiction(to ordered: ExprSyntax) -> String? {
      let value = ordered.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind
      switch (self, value) {
      case (.orderedToMany, .keyword(.true)): return nil
      case (.orderedToMany, _): return "'ordered: true' or leave it out, or make it a ToMany"
      case (.toMany(let target), .keyword(.true)): return "'OrderedToMany<\(target.trimmed)>'"
      case (_, .keyword(.false)): return nil
      default: return "no 'ordered:' here"
      }
    }

    /// The type under its optionals.
    var unwrapped: TypeSpelling {
      if case .optional(let wrapped) = self { wrapped.unwrapped } else { self }
    }

    private static let values: Set<String> = [
      "Bool", "Character", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int8", "Int16",
      "Int32", "Int64", "String", "Substring", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "URL",
      "UUID",
    ]
  }

  extension TypeSyntax {
    /// `City` of `City`, `Geography.City` and `City<Int>`; nil for a type that has no name.
    var lastComponent: TokenSyntax? {
      self.as(IdentifierTypeSyntax.self)?.name.trimmed
        ?? self.as(MemberTypeSyntax.self)?.name.trimmed
    }

    fileprivate var firstGenericArgument: TypeSyntax? {
      let clause =
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
        ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
      guard case .type(let type)? = clause?.arguments.first?.argument else { return nil }
      return type
    }
  }
#endif

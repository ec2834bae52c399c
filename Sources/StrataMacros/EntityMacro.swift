// SPDX-License-Identifier: Apache-2.0

#if Macros
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  /// `@Entity`: generates the code that a user would otherwise write by hand, in three places.
  ///
  /// - Each stored `var` gets `@_Persisted(slot:)`, which turns it into accessors of a record.
  /// - The class gets its slots' bounds and its `EntityDescription`.
  /// - A class whose superclass is not an entity gets the conformance to `Entity`.
  ///
  /// The members' role alone reports mistakes in the class and its properties, so that each is
  /// reported once.
  package enum EntityMacro {}

  // MARK: - Members

  extension EntityMacro: MemberMacro {
    package static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
      guard
        let entity = EntityDeclaration(
          declaration, in: context.lexicalContext.first, report: Report(context.diagnose))
      else { return [] }
      return slotBounds(of: entity) + description(of: entity, macro: node)
    }

    /// Slots count through the superclasses, of which only a name is known here: each class
    /// declares the end of its slots, and the next begins there. The names contain the class's,
    /// because a static property cannot be overridden. All of it folds into a constant.
    private static func slotBounds(of entity: EntityDeclaration) -> [DeclSyntax] {
      let head =
        "\(entity.isInlinable ? "@inlinable " : "")@inline(__always) nonisolated "
        + "\(entity.staticAccess)static var"
      return [
        """
        \(raw: head) \(raw: entity.slotBase): Int { \(raw: entity.superclassSlotEnd) }
        """,
        """
        \(raw: head) \(raw: entity.slotEnd): Int { \(raw: entity.slotBase) + \
        \(raw: entity.properties.count) }
        """,
      ]
    }

    /// The description has its type written out: two entities may name each other, and a type to
    /// infer would be a circular reference.
    private static func description(
      of entity: EntityDeclaration, macro: AttributeSyntax
    ) -> [DeclSyntax] {
      let rows = entity.properties.map { "\n    " + row(of: $0, in: entity.name) + "," }
      let isAbstract = macro.labeled("isAbstract")?.trimmedDescription ?? "false"
      let compound = ["uniqueTogether", "indexes"].compactMap { label in
        lists(macro, label).map { "\n  \(label): [\($0)]," }
      }
      let originalName = macro.labeled("originalName").map {
        "\n  originalName: \($0.trimmedDescription),"
      }
      return [
        """
        nonisolated private static let \(raw: entity.storage): EntityDescription = \
        EntityDescription(
          entity: \(literal: entity.bareName), of: \(raw: entity.name).self, \
        isAbstract: \(raw: isAbstract), superentity: \(raw: entity.superentity),
          hooks: [\(raw: entity.hooks.map { "." + $0 }.joined(separator: ", "))],\
        \(raw: compound.joined())\(raw: originalName ?? "")
          properties: [\(raw: rows.joined())\(raw: rows.isEmpty ? "" : "\n  ")])
        """,
        """
        nonisolated \(raw: entity.classAccess)override class var entity: EntityDescription { \
        \(raw: entity.storage) }
        """,
      ]
    }

    /// The arguments of the parameter called `label`, which takes any number of them; nil if it is
    /// missing.
    private static func lists(_ macro: AttributeSyntax, _ label: String) -> String? {
      let all = macro.labeledArguments.drop { $0.label?.text != label }
      guard let first = all.first else { return nil }
      let others = all.dropFirst().prefix { $0.label == nil }
      return ([first] + others).map(\.expression.trimmedDescription).joined(separator: ", ")
    }

    /// One property's description. Without a marker it is an attribute or a to-one relationship,
    /// and only the compiler knows which: the overloads of `property` choose by the type.
    private static func row(of property: PersistentProperty, in entity: String) -> String {
      let function =
        switch property.marker {
        case .attribute: "attribute"
        case .relationship: "relationship"
        case nil: TypeSpelling(property.type).isToMany ? "relationship" : "property"
        }
      var arguments = [
        "\"\(property.bareName)\"", "\\\(entity).\(property.name)",
        "as: (\(property.type.trimmedDescription)).self",
      ]
      // The markers' parameters are in the order of the functions' parameters. `ordered:` repeats
      // the statement of the type.
      arguments += property.markerArguments.filter { $0.label?.text != "ordered" }.map {
        $0.with(\.trailingComma, nil).trimmedDescription
      }
      if let initial = property.initialValue {
        arguments.append(
          "default: (\(initial.trimmedDescription)) as \(property.type.trimmedDescription)")
      }
      return ".\(function)(\(arguments.joined(separator: ", ")))"
    }
  }

  // MARK: - Attributes of members

  extension EntityMacro: MemberAttributeMacro {
    package static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
      guard let variable = member.as(VariableDeclSyntax.self),
        let property = PersistentProperty(variable, report: Report())
      else { return [] }
      let entity = EntityDeclaration(declaration, in: nil, report: Report())
      let slot = entity?.properties.firstIndex { $0.bareName == property.bareName }
      return ["@_Persisted(slot: \(raw: slot.map(String.init) ?? "nil"))"]
    }
  }

  // MARK: - Conformance

  extension EntityMacro: ExtensionMacro {
    /// - Parameter protocols: empty if the superclass conforms already.
    package static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      guard !protocols.isEmpty, EntityDeclaration(declaration, in: nil, report: Report()) != nil
      else { return [] }
      return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): Entity {}")]
    }
  }
#endif

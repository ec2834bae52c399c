// SPDX-License-Identifier: Apache-2.0

#if Macros
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  /// `@_Persisted(slot:)`, which `@Entity` puts on each stored property: a getter and a setter that
  /// read and write the property's slot of the object's record.
  ///
  /// The property's initial value disappears with its storage; `@Entity` has put it into the
  /// description. So a subclass of `ManagedObject` has no storage of its own and inherits its
  /// initialisers.
  ///
  /// A derived attribute has no setter.
  ///
  /// A slot of nil belongs to a property with a mistake: it gets accessors all the same, so that
  /// the mistake is the only error that the user sees.
  package enum PersistedMacro: AccessorMacro {
    package static func expansion(
      of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) -> [AccessorDeclSyntax] {
      guard let variable = declaration.as(VariableDeclSyntax.self),
        let type = context.lexicalContext.first?.as(ClassDeclSyntax.self),
        let slot = node.labeled("slot")
      else { return [] }
      guard !slot.is(NilLiteralExprSyntax.self) else {
        return ["get { fatalError() }", "set { fatalError() }"]
      }
      let name = EntityName(type.name)
      let place = "\(name.written).\(name.prefixed("_slotBase_")) + \(slot.trimmedDescription)"
      let access = Access(variable.modifiers)
      let getter = access.isInlinable ? "@inlinable " : ""
      let setter = access.isInlinable && !access.hasNarrowerSetter ? "@inlinable " : ""
      let read: AccessorDeclSyntax = "\(raw: getter)get { self[slot: \(raw: place)] }"
      if variable.attribute(named: Marker.attribute.rawValue)?.rule("derived") != nil {
        return [read]
      }
      return [read, "\(raw: setter)set { self[slot: \(raw: place)] = newValue }"]
    }
  }
#endif

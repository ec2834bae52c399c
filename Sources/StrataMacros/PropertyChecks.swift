// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// The checks of a stored property of an entity that do not depend on its markers.
  enum PropertyChecks {
    /// Refuses properties that need storage in the object itself.
    ///
    /// - Returns: Whether it did.
    static func reportStorage(
      of variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, named name: String,
      report: Report
    ) -> Bool {
      if variable.bindingSpecifier.tokenKind == .keyword(.let) {
        let remedies = binding.typeAnnotation == nil ? [] : [Remedy.makeVariable(variable)]
        report(.constant(name), at: variable.bindingSpecifier, remedies: remedies)
        return true
      }
      if let observer = binding.observers.first {
        report(.observed(name, by: observer.accessorSpecifier.text), at: observer.accessorSpecifier)
        return true
      }
      for modifier in variable.modifiers {
        let mistake: Mistake
        switch modifier.name.tokenKind {
        case .keyword(.lazy): mistake = .lazy(name)
        case .keyword(.weak), .keyword(.unowned):
          mistake = .unowned(name, modifier: modifier.trimmedDescription)
        case .keyword(.override):
          report(.redeclared(name), at: modifier)
          return true
        default: continue
        }
        report(mistake, at: modifier, remedies: [.remove(modifier, from: variable)])
        return true
      }
      return false
    }

    /// Refuses names, types and defaults that would not work.
    static func report(
      of binding: PatternBindingSyntax, _ property: PersistentProperty, report: Report
    ) {
      let name = property.bareName
      if managedObjectMembers.contains(name) {
        report(.reservedName(name), at: binding.pattern)
      }
      if let type = property.type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        let optional = TypeSyntax(OptionalTypeSyntax(wrappedType: type.wrappedType))
        report(
          .implicitlyUnwrapped(type.trimmedDescription, instead: optional.trimmedDescription),
          at: type, remedies: [.replace(property.type, by: optional)])
      }
      // With @Relationship, the marker reports it.
      if property.marker == nil, let better = TypeSpelling(property.type).toManyWithoutOptional {
        report(
          .relationshipOfCollection(
            type: property.type.trimmedDescription, instead: better.trimmedDescription),
          at: property.type, remedies: [.replace(property.type, by: better)])
      }
      guard let initializer = binding.initializer else { return }
      let type = TypeSpelling(property.type)
      let isNil = property.initialValue == nil
      if type.isToMany || (property.marker == .relationship && !isNil) {
        report(
          .defaultOfRelationship(name), at: initializer.value,
          remedies: [.removeInitializer(of: binding)])
      } else if let value = property.initialValue, differsByCall(value, of: type) {
        report(.defaultPerObject(name, value: value.trimmedDescription), at: value)
      }
    }

    /// The declarations of `ManagedObject` itself.
    private static let managedObjectMembers: Set<String> = [
      "customMirror", "description", "entity", "hasChanges", "hash", "hashValue", "isDeleted",
      "isFault",
      "isInserted", "isUpdated", "managedObjectContext", "objectID",
    ]

    /// Whether `value` plainly differs at each evaluation: now, or a random UUID.
    private static func differsByCall(_ value: ExprSyntax, of type: TypeSpelling) -> Bool {
      guard case .value(let name) = type.unwrapped, name == "Date" || name == "UUID" else {
        return false
      }
      let text = value.trimmedDescription.replacing("Foundation.", with: "")
      return ["\(name)()", "\(name).init()", ".init()", "Date.now", ".now"].contains(text)
    }
  }
#endif

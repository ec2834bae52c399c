// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// A class with `@Entity`, as the macro reads it. Exists only for a class that can be an entity.
  struct EntityDeclaration {
    private let entityName: EntityName
    private let superclassName: EntityName
    /// The superclass as written, its module and outer types included.
    private let superclass: String
    private let access: Access
    /// Those with a slot, in the order of their slots.
    let properties: [PersistentProperty]
    /// The life cycle methods that the class overrides, by name.
    let hooks: [String]

    /// Reads `declaration` and reports all mistakes in it; nil if it cannot be an entity.
    ///
    /// - Parameter enclosing: The declaration that contains it, if any.
    init?(_ declaration: some DeclGroupSyntax, in enclosing: Syntax?, report: Report) {
      guard let type = declaration.as(ClassDeclSyntax.self) else {
        report(.notAClass, at: declaration.introducer)
        return nil
      }
      let name = EntityName(type.name)
      if let parameters = type.genericParameterClause {
        report(.genericClass(name.bare), at: parameters)
        return nil
      }
      // The conformance to `Entity` that the macro writes would mean the class itself.
      if name.bare == "Entity" {
        report(.reservedClassName(name.bare), at: type.name)
        return nil
      }
      guard let superclass = type.superclass, let superclassToken = superclass.lastComponent else {
        report(.noSuperclass(name.bare), at: type.name, remedies: [.inherit(type)])
        return nil
      }
      entityName = name
      superclassName = EntityName(superclassToken)
      self.superclass = superclass.trimmedDescription
      access = Access(type.modifiers, in: enclosing)
      properties = type.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
        .compactMap { PersistentProperty($0, report: report) }.filter { !$0.isRefused }
      hooks = LifeCycleMethod.overridden(in: type.memberBlock.members)
      for declaration in type.memberBlock.members.conditional {
        guard let variable = declaration.as(VariableDeclSyntax.self), !variable.isOfType,
          !variable.isComputed
        else { continue }
        report(.conditional, at: variable.bindingSpecifier)
      }
    }
  }

  // MARK: - Names

  extension EntityDeclaration {
    var name: String { entityName.written }
    var bareName: String { entityName.bare }
    var slotBase: String { entityName.prefixed("_slotBase_") }
    var slotEnd: String { entityName.prefixed("_slotEnd_") }
    var storage: String { entityName.prefixed("_entity_") }
    var superclassSlotEnd: String { "\(superclass).\(superclassName.prefixed("_slotEnd_"))" }
    var superentity: String {
      superclassName.bare == "ManagedObject" ? "nil" : "\(superclass).entity"
    }
  }

  // MARK: - Access

  extension EntityDeclaration {
    var isInlinable: Bool { access.isInlinable }

    /// The modifier of members that subclasses and clients use but cannot override.
    var staticAccess: String {
      switch access.level {
      case .open, .public: "public "
      case .package: "package "
      case .internal, .fileprivate, .private: ""
      }
    }

    /// The modifier of members that subclasses override.
    var classAccess: String { access.level == .open ? "open " : staticAccess }
  }

  // MARK: - Conditional compilation

  extension MemberBlockItemListSyntax {
    /// The declarations in `#if`, in all its branches: a macro does not learn which of them is
    /// taken.
    var conditional: [DeclSyntax] {
      flatMap { member -> [DeclSyntax] in
        guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
        return condition.clauses.flatMap { clause -> [DeclSyntax] in
          guard case .decls(let members)? = clause.elements else { return [] }
          return members.map(\.decl) + members.conditional
        }
      }
    }
  }

  // MARK: - The superclass

  extension ClassDeclSyntax {
    /// The first type that the class inherits, unless it is plainly a protocol.
    fileprivate var superclass: TypeSyntax? {
      guard let first = inheritanceClause?.inheritedTypes.first?.type,
        let name = first.lastComponent?.text, !Self.commonProtocols.contains(name)
      else { return nil }
      return first
    }

    private static let commonProtocols: Set<String> = [
      "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible",
      "CustomStringConvertible", "Decodable", "Encodable", "Entity", "Equatable", "Hashable",
      "Identifiable", "Sendable",
    ]
  }
#endif

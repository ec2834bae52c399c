// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// The methods of `ManagedObject` that a class may override to take part in its objects' life
  /// cycle: each is an option of `LifeCycleHooks` by the same name.
  ///
  /// Swift lets no extension override them, so an override stands in the class's body. One that
  /// another macro writes there is not seen.
  enum LifeCycleMethod: String, CaseIterable {
    case awakeFromInsert, awakeFromFetch, awakeFromSnapshotEvents
    case willSave, didSave
    case prepareForDeletion
    case willTurnIntoFault, didTurnIntoFault
    case validateForInsert, validateForUpdate, validateForDelete

    /// The names of those that `members` override. What stands in `#if` counts: a macro does not
    /// learn which branch is taken, and a call too many does no harm.
    static func overridden(in members: MemberBlockItemListSyntax) -> [String] {
      let names = Set(members.overridingMethods)
      return allCases.map(\.rawValue).filter(names.contains)
    }
  }

  extension MemberBlockItemListSyntax {
    fileprivate var overridingMethods: [String] {
      flatMap { member -> [String] in
        if let method = member.decl.as(FunctionDeclSyntax.self) {
          let modifiers = method.modifiers.map(\.name.tokenKind)
          let isOverride = modifiers.contains(.keyword(.override))
          return isOverride && !modifiers.contains(.keyword(.class)) ? [method.name.bareText] : []
        }
        guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
        return condition.clauses.flatMap { clause -> [String] in
          guard case .decls(let members)? = clause.elements else { return [] }
          return members.overridingMethods
        }
      }
    }
  }
#endif

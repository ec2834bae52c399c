// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// The methods of `ManagedObject` that a class may override to take part in its objects' life
  /// cycle: each is an option of `_LifeCycleHooks` by the same name.
  ///
  /// Swift lets no extension override them, so an override is in the class's body. An override that
  /// another macro writes there is not seen.
  enum LifeCycleMethod: String, CaseIterable {
    case awakeFromInsert, awakeFromFetch, awakeFromSnapshotEvents
    case willSave, didSave
    case prepareForDeletion
    case willTurnIntoFault, didTurnIntoFault
    case validateForInsert, validateForUpdate, validateForDelete

    /// The names of the methods that `members` override. Declarations in `#if` count: a macro does
    /// not learn which branch is taken, and a call too many does no harm.
    static func overridden(in members: MemberBlockItemListSyntax) -> [String] {
      let methods = (members.map(\.decl) + members.conditional).compactMap {
        $0.as(FunctionDeclSyntax.self)
      }
      let names = Set(methods.filter(\.isOverride).map(\.name.bareText))
      return allCases.map(\.rawValue).filter(names.contains)
    }
  }

  extension FunctionDeclSyntax {
    fileprivate var isOverride: Bool {
      let modifiers = modifiers.map(\.name.tokenKind)
      return modifiers.contains(.keyword(.override)) && !modifiers.contains(.keyword(.class))
    }
  }
#endif

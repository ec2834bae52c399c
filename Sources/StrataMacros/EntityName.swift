// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// The name of an entity's class, from which the names of its generated members are made.
  struct EntityName {
    /// The name as the source has it, with backticks where it has them.
    let written: String
    /// Without backticks.
    let bare: String

    init(_ token: TokenSyntax) {
      written = token.trimmed.text
      bare = token.bareText
    }

    /// The name of a member, such as `_slotBase_Country`.
    func prefixed(_ prefix: String) -> String {
      let name = prefix + bare
      let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      return isPlain ? name : "`\(name)`"
    }
  }

  extension TokenSyntax {
    /// The identifier without the backticks that it may be written with.
    var bareText: String { text.filter { $0 != "`" } }
  }
#endif

// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// The access level of a class or of a property, as its modifiers say it.
  struct Access {
    enum Level: String { case open, `public`, package, `internal`, `fileprivate`, `private` }

    let level: Level
    /// `private(set)` and the like.
    let hasNarrowerSetter: Bool

    /// - Parameter enclosing: The declaration's surroundings: a `public extension` gives its level
    ///   to members that have none of their own.
    init(_ modifiers: DeclModifierListSyntax, in enclosing: Syntax? = nil) {
      hasNarrowerSetter = modifiers.contains { $0.detail?.detail.text == "set" }
      level =
        Self.level(of: modifiers)
        ?? enclosing?.as(ExtensionDeclSyntax.self).flatMap { Self.level(of: $0.modifiers) }
        ?? .internal
    }

    /// Whether other modules see it, and should see its body too.
    var isInlinable: Bool { level == .open || level == .public }

    private static func level(of modifiers: DeclModifierListSyntax) -> Level? {
      modifiers.lazy.filter { $0.detail == nil }.compactMap { Level(rawValue: $0.name.text) }.first
    }
  }
#endif

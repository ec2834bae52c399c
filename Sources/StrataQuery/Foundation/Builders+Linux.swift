// SPDX-License-Identifier: Apache-2.0
#if !canImport(Darwin)
  public import Foundation
  import StrataModel

  // `#Predicate` expands the methods of texts that depend on a locale to functions that Foundation
  // has only on Apple's platforms. The functions here make these methods available on Linux. The
  // macro determines their names.

  extension PredicateExpressions {
    /// The expansion of `text.localizedStandardContains(other)` in a `#Predicate`.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StandardContains<Root, Other> {
      StandardContains(root: root, other: other)
    }

    /// The expansion of `text.caseInsensitiveCompare(other)` in a `#Predicate`.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> CaseInsensitiveOrder<Root, Other> {
      CaseInsensitiveOrder(root: root, other: other)
    }

    /// Whether a text contains another text, ignoring case and accents.
    public struct StandardContains<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output == String, Other.Output == String {
      /// The text to search in.
      public let root: Root
      /// The text to search for.
      public let other: Other

      /// Evaluates the expression with Foundation's `localizedStandardContains`.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
      }
    }

    /// The order of two texts, ignoring case.
    public struct CaseInsensitiveOrder<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output == String, Other.Output == String {
      /// The left text.
      public let root: Root
      /// The right text.
      public let other: Other

      /// Evaluates the expression with Foundation's `caseInsensitiveCompare`.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
      }
    }
  }

  // MARK: - Requirements of a predicate's expressions

  extension PredicateExpressions.StandardContains: Sendable where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.StandardContains: Codable where Root: Codable, Other: Codable {}

  extension PredicateExpressions.CaseInsensitiveOrder: Sendable
  where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.CaseInsensitiveOrder: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.CaseInsensitiveOrder: Codable
  where Root: Codable, Other: Codable {}

  // MARK: - Their meaning here

  extension PredicateExpressions.StandardContains: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
      .predicate(
        TextMatch(
          try translator.operand(root), .infix, try translator.operand(other),
          [.caseInsensitive, .diacriticInsensitive]))
    }
  }

  extension PredicateExpressions.CaseInsensitiveOrder: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
      .operand(
        TextOrderNode(
          try translator.operand(root), try translator.operand(other), .caseInsensitive))
    }
  }
#endif

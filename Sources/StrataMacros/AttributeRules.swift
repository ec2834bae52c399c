// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  // The rules of `@Attribute` that cannot be asked of the property's type, as far as its spelling
  // tells: of a type that is not known here, the model says so when it is built.

  extension MarkedProperty {
    func checkRules(report: Report) {
      if let type, case .value(let value) = TypeSpelling(type).unwrapped {
        for rule in Self.rules where !rule.isFor(value) {
          for argument in node.rules(rule.name, rule.argument) {
            report(
              .unfitRule(
                ".\(rule.name)\(rule.argument.map { "(\($0))" } ?? "")",
                type: type.trimmedDescription, fits: rule.fits),
              at: argument)
          }
        }
      }
      checkPatterns(report: report)
    }

    /// A rule for some types only.
    private struct Rule {
      let name: String
      /// The argument that the rule is called with; nil for any.
      var argument: String?
      let isFor: @Sendable (_ type: String) -> Bool
      let fits: String
    }

    private static let rules = [
      Rule(name: "length", isFor: { ["String", "Data"].contains($0) }, fits: "String and Data"),
      Rule(name: "range", isFor: { isNumber($0) || $0 == "Date" }, fits: "numbers and Date"),
      Rule(name: "matches", isFor: { $0 == "String" }, fits: "String"),
      Rule(name: "merges", argument: ".sum", isFor: isNumber, fits: "numbers"),
      Rule(
        name: "merges", argument: ".max", isFor: { isNumber($0) || $0 == "Date" },
        fits: "numbers and Date"),
      Rule(
        name: "merges", argument: ".min", isFor: { isNumber($0) || $0 == "Date" },
        fits: "numbers and Date"),
      Rule(
        name: "merges", argument: ".union",
        isFor: { $0.hasPrefix("Set<") || $0.hasPrefix("Array<") }, fits: "sets and arrays"),
    ]

    @Sendable private static func isNumber(_ type: String) -> Bool {
      [
        "Decimal", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8",
        "UInt16", "UInt32", "UInt64",
      ].contains(type)
    }

    /// A pattern that is a literal can be tried now.
    private func checkPatterns(report: Report) {
      for argument in node.rules("matches") {
        guard
          let literal = argument.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
            .as(StringLiteralExprSyntax.self),
          let pattern = literal.plainText
        else { continue }
        do { _ = try Regex(pattern) } catch {
          report(.invalidPattern("\(error)"), at: literal)
        }
      }
    }
  }

  extension StringLiteralExprSyntax {
    /// The text of a literal in one line without escapes; nil for others.
    fileprivate var plainText: String? {
      guard segments.count == 1, openingQuote.tokenKind == .stringQuote,
        let text = segments.first?.as(StringSegmentSyntax.self)?.content.text
      else { return nil }
      let escape = "\\" + (openingPounds?.text ?? "")
      return text.contains(escape) ? nil : text
    }
  }

  extension AttributeSyntax {
    /// The arguments without a label that call the rule `name`: `.length(1...80)`.
    ///
    /// - Parameter argument: the spelling of the call's first argument; nil for any.
    func rules(_ name: String, _ argument: String? = nil) -> [ExprSyntax] {
      labeledArguments.filter { labeled in
        guard labeled.label == nil, let call = labeled.expression.as(FunctionCallExprSyntax.self),
          let rule = call.calledExpression.as(MemberAccessExprSyntax.self)
        else { return false }
        return rule.declName.baseName.text == name
          && (argument == nil || call.arguments.first?.expression.trimmedDescription == argument)
      }.map(\.expression)
    }

    func rule(_ name: String) -> ExprSyntax? { rules(name).first }
  }
#endif

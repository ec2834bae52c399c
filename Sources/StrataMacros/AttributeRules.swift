// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  // The rules of `@Attribute` that cannot be asked of the property's type, as far as its spelling
  // tells: of a type that is not known here, the model says so when it is built.

  extension MarkedProperty {
    func checkRules(report: Report) {
      if let type, case .value(let value) = TypeSpelling(type).unwrapped {
        for rule in Self.rules where !rule.types.contains(value) {
          for argument in node.rules(rule.name) {
            report(
              .unfitRule(".\(rule.name)", type: type.trimmedDescription, fits: rule.fits),
              at: argument)
          }
        }
      }
      checkPatterns(report: report)
    }

    private static let rules: [(name: String, types: Set<String>, fits: String)] = [
      ("length", ["String", "Data"], "String and Data"),
      (
        "range",
        [
          "Date", "Decimal", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt",
          "UInt8", "UInt16", "UInt32", "UInt64",
        ], "numbers and Date"
      ),
      ("matches", ["String"], "String"),
    ]

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
    func rules(_ name: String) -> [ExprSyntax] {
      labeledArguments.filter { argument in
        argument.label == nil
          && argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression
            .as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
      }.map(\.expression)
    }

    func rule(_ name: String) -> ExprSyntax? { rules(name).first }
  }
#endif

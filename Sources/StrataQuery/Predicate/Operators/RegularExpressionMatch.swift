// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether the whole text matches a regular expression in ICU's syntax. Core Data: MATCHES.
///
/// The pattern and the text are compared in their normal form (NFC) or folded, so that canonically
/// equivalent texts have the same result.
struct RegularExpressionMatch: OperatorNode {
  var left: any OperandNode
  let pattern: any OperandNode
  let options: TextOptions

  var extent: TreeExtent { left.extent.beside(pattern.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let left = try resolver.text(left)
    guard let text = try resolver.pattern(pattern) else { return Verdict(isTrue: false) }
    // The regular expression ignores case itself: folding the pattern would turn \S and \D into \s
    // and \d.
    let marks = options.intersection(.diacriticInsensitive)
    let expression: NSRegularExpression
    do {
      expression = try Self.expression(
        marks.folded(text).precomposedStringWithCanonicalMapping,
        options.contains(.caseInsensitive) ? .caseInsensitive : [])
    } catch {
      throw .invalidPattern(reason: Self.reason(error))
    }
    return left.condition(
      TextTest(name: "matches\(options)") { text in
        let text = marks.folded(text).precomposedStringWithCanonicalMapping
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, options: .anchored, range: whole) != nil
      })
  }

  /// Compiles the expression for a whole text. A group around the pattern makes each alternative
  /// match up to the end of the text.
  private static func expression(
    _ pattern: String, _ options: NSRegularExpression.Options
  ) throws -> NSRegularExpression {
    // The pattern is first compiled without the group: a pattern with an unmatched bracket must not
    // close the group.
    _ = try NSRegularExpression(pattern: pattern)
    if let expression = try? NSRegularExpression(pattern: "(?:\(pattern))\\z", options: options) {
      return expression
    }
    // A comment at the end of the pattern extends to the end of its line.
    return try NSRegularExpression(pattern: "(?:\(pattern)\n)\\z", options: options)
  }

  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    return error.userInfo[NSDebugDescriptionErrorKey] as? String ?? error.localizedDescription
  }
}

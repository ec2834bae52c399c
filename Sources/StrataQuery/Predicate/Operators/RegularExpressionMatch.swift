// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// Whether the whole text matches a regular expression, of ICU's syntax. Core Data: MATCHES.
///
/// Pattern and text are taken in their normal form (NFC), or folded, so that canonically equivalent
/// texts have the same answer.
package struct RegularExpressionMatch: OperatorNode {
  package let left: any OperandNode
  let pattern: any OperandNode
  let options: TextOptions

  package init(_ left: any OperandNode, _ pattern: any OperandNode, _ options: TextOptions) {
    self.left = left
    self.pattern = pattern
    self.options = options
  }

  package func replacingLeft(_ left: any OperandNode) -> any OperatorNode {
    RegularExpressionMatch(left, pattern, options)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    RegularExpressionMatch(left.substituting(values), pattern.substituting(values), options)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let left = try resolver.text(left)
    guard let text = try resolver.pattern(pattern) else { return Verdict(isTrue: false) }
    return left.condition(try RegularExpressionTest(text, options))
  }
}

struct RegularExpressionTest: SlotTest {
  private let expression: NSRegularExpression
  private let options: TextOptions

  init(_ pattern: String, _ options: TextOptions) throws(QueryError) {
    self.options = options
    // Case is left to the expression: folding would make others of \S and \D.
    let marks = options.intersection(.diacriticInsensitive)
    let text = marks.folded(pattern).precomposedStringWithCanonicalMapping
    do {
      // By itself first: a pattern with one bracket too many must not close the group.
      _ = try NSRegularExpression(pattern: text)
      expression = try Self.whole(text, options.contains(.caseInsensitive) ? .caseInsensitive : [])
    } catch {
      throw .invalidPattern(reason: Self.reason(error))
    }
  }

  /// The expression for the whole of a text, as one group, so that each alternative is held against
  /// it to its end.
  private static func whole(
    _ pattern: String, _ options: NSRegularExpression.Options
  ) throws -> NSRegularExpression {
    if let expression = try? NSRegularExpression(pattern: "(?:\(pattern))\\z", options: options) {
      return expression
    }
    // A comment at the pattern's end goes to the end of its line.
    return try NSRegularExpression(pattern: "(?:\(pattern)\n)\\z", options: options)
  }

  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    return error.userInfo[NSDebugDescriptionErrorKey] as? String ?? error.localizedDescription
  }

  func isTrue(of slot: RecordSlot) -> Bool { String(slot).map(matches) ?? false }

  func isTrue(of value: Value) -> Bool {
    guard case .string(let text) = value else { return false }
    return matches(text)
  }

  private func matches(_ text: String) -> Bool {
    let marks = options.intersection(.diacriticInsensitive)
    let text = marks.folded(text).precomposedStringWithCanonicalMapping
    let whole = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, options: .anchored, range: whole) != nil
  }

  func stretch(in kind: SlotKind) -> KeyStretch? { nil }

  var name: String { "matches\(options)" }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A regular expression in ICU's syntax for whole texts.
///
/// The pattern and the text are compared in their normal form (NFC) or folded, so that canonically
/// equivalent texts have the same result.
///
/// Some patterns take a time that doubles with each character of the text, such as `(a+)+b`. Others
/// need memory for each character, such as `(a|b)*`, and ICU's memory for one match is limited. In
/// both cases there is no answer, and matching throws.
package struct WholePattern: Sendable {
  /// The maximum number of steps that one match may take: some tenths of a second. A step is an
  /// operation of ICU's engine; most patterns take a few steps for each character.
  package static let stepsMaxUsual = 10_000_000
  /// The number of steps after which ICU reports progress.
  private static let stepsPerReport = 10_000

  private let expression: NSRegularExpression
  private let stepsMax: Int
  /// The options that fold pattern and text. The regular expression ignores case itself: folding
  /// the pattern would turn \S and \D into \s and \d.
  private let folding: TextOptions

  /// - Throws: `QueryError.invalidPattern`.
  package init(
    _ pattern: String, _ options: TextOptions, stepsMax: Int = Self.stepsMaxUsual
  ) throws(QueryError) {
    self.stepsMax = stepsMax
    folding = options.intersection(.diacriticInsensitive)
    do {
      expression = try Self.expression(
        folding.folded(pattern).precomposedStringWithCanonicalMapping,
        options.contains(.caseInsensitive) ? .caseInsensitive : [])
    } catch {
      throw .invalidPattern(reason: Self.reason(error))
    }
  }

  /// Whether the whole of `text` matches.
  ///
  /// - Throws: `QueryError.costlyPattern`; `CancellationError` if the task is cancelled during a
  ///   match of more than 10,000 steps, even if it is too costly.
  package func matches(_ text: String) throws -> Bool {
    let text = folding.folded(text).precomposedStringWithCanonicalMapping
    var isMatch = false
    var failure: (any Error)?
    var reportCount = 0
    expression.enumerateMatches(
      in: text, options: [.anchored, .reportProgress, .reportCompletion],
      range: NSRange(location: 0, length: text.utf16.count)
    ) { match, flags, stop in
      if match != nil {
        isMatch = true
        stop.pointee = true
      } else if flags.contains(.internalError) {
        failure = failure ?? QueryError.costlyPattern
      } else if flags.contains(.progress) {
        reportCount += 1
        if Task.isCancelled {
          failure = CancellationError()
        } else if reportCount >= stepsMax / Self.stepsPerReport {
          failure = QueryError.costlyPattern
        }
        if failure != nil { stop.pointee = true }
      }
    }
    if let failure { throw failure }
    return isMatch
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

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataQuery
import StrataTestSupport
import Testing

@Suite struct `A regular expression of a predicate` {
  /// Some steps more than a report takes, so the first report is the last one, too.
  private static func match() throws -> Bool {
    try WholePattern("(a+)+b", [], stepsMax: 10_000).matches(String(repeating: "a", count: 40))
  }

  @Test func `ends with a cancelled task even where it has become too costly`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try Self.match()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [[], .caseInsensitive, .diacriticInsensitive] as [TextOptions])
  func `of random pieces matches, does not match or is refused`(options: TextOptions) {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "b", ".", "*", "+", "?", "|", "(", ")", "(?:", "(?=", "(?<!", "(?i)", "(?<n>", "[", "]",
      "^", "$", "{2}", "{0,}", "{9,1}", "{1000000000}", "\\", "\\1", "\\b", "\\Q", "\\E", "\\p{L}",
      "\\x{110000}", "\\u", "&&", "-", "é", "e\u{301}", "😀", "\u{0}", "\n",
    ]
    for _ in 0..<3_000 {
      let pattern = (0..<Int.random(in: 0...14, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      do {
        let compiled = try WholePattern(pattern, options, stepsMax: 10_000)
        for text in ["", "ab", "aaaaaaaaaaaaaaaaaaaaaaaa", "é\u{0}😀\n"] {
          do { _ = try compiled.matches(text) } catch QueryError.costlyPattern {}
        }
      } catch QueryError.invalidPattern {
      } catch {
        Issue.record("STRATA_MODEL_SEED=\(seed), \(pattern.debugDescription): \(error)")
      }
    }
  }

  @Test func `is too costly after its last step`() {
    #expect(throws: QueryError.costlyPattern) { try Self.match() }
  }
}

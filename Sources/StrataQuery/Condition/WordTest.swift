// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Whether a text has the words of a query.
struct WordTest: SlotTest {
  let query: WordQuery

  func isTrue(of slot: _RecordSlot) -> Bool {
    slot.bytes(.string).map { query.matches(bytes: $0) } ?? false
  }

  func isTrue(of value: PropertyValue) -> Bool {
    guard case .string(let text) = value else { return false }
    return query.matches(text)
  }

  /// The values of an index say nothing of the words in them.
  func range(in kind: SlotKind) -> IndexRange? { nil }

  var words: WordSource? {
    WordSource(
      ranges: query.folded.map { .word($0.word, isPrefix: $0.isPrefix) },
      isWhole: !query.hasPhrases)
  }

  var name: String { "contains words" }
}

/// The entries of an index of words that can belong to objects that satisfy a test.
package struct WordSource: Sendable {
  /// The ranges of the words: an object that satisfies the test has an entry in each of them.
  let ranges: [IndexRange]
  /// Whether every object with an entry in each of them satisfies the test.
  let isWhole: Bool
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

// Ranges of an index of words.

extension IndexRange {
  /// Returns the entries of the texts that have a word.
  ///
  /// - Parameters:
  ///   - word: a folded word.
  ///   - isPrefix: whether it is the beginning of words.
  static func word(_ word: [UInt8], isPrefix: Bool) -> IndexRange {
    if isPrefix { return IndexRange([KeyRange(prefix: word)], .prefix) }
    let value = WordKey.value(of: word)
    return IndexRange([KeyRange(prefix: value)], .point, points: [value])
  }
}

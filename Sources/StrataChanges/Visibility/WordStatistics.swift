// SPDX-License-Identifier: Apache-2.0

/// The numbers that an index of words has about all texts together.
package struct WordStatistics: Sendable, Hashable {
  package init() {}

  /// The number of objects with a text.
  package private(set) var textCount = 0
  /// The number of words in all texts, repeated ones included.
  package private(set) var wordCount = 0

  package mutating func add(_ other: WordStatistics) {
    textCount += other.textCount
    wordCount += other.wordCount
  }

  mutating func add(_ length: Int, times count: Int = 1) {
    textCount += count
    wordCount += length * count
  }
}

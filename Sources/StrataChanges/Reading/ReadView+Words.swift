// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// The numbers that an index of words has about all texts together.
package struct WordStatistics: Sendable, Hashable {
  /// The number of objects with a text.
  package internal(set) var textCount = 0
  /// The number of words in all texts, repeated ones included.
  package internal(set) var wordCount = 0

  mutating func add(_ length: Int, times count: Int = 1) {
    textCount += count
    wordCount += length * count
  }
}

extension ReadView {
  /// The statistics of an index of words, with all pending changes: those that it will have when
  /// all are saved.
  ///
  /// - Complexity: O(blocks of the store's entries of lengths + changed objects' stored texts +
  ///   pending objects).
  package func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    let lengths = KeyRange(prefix: WordKey.lengths)
    var statistics = WordStatistics()
    try snapshot.scanRuns(of: index, in: lengths) { value, count in
      if let length = WordKey.length(of: value) { statistics.add(length, times: count) }
      return .more
    }
    if layers.isEmpty { return statistics }
    let stale = try storedRun(of: index, changedObjects(in: index, atMost: .max) ?? [])
    for place in stale.indices(in: lengths) {
      if let length = WordKey.length(of: stale.bytes(at: place)) {
        statistics.add(length, times: -1)
      }
    }
    for (depth, segment) in layers.segments.enumerated() {
      guard let run = segment.run(of: index) else { continue }
      for place in run.indices(in: lengths)
      where !lookUp.isShadowed(run.entries[place].object, above: depth) {
        if let length = WordKey.length(of: run.bytes(at: place)) { statistics.add(length) }
      }
    }
    return statistics
  }
}

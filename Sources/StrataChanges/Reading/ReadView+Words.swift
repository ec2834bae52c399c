// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

extension Snapshot {
  /// Passes over the entries of lengths. O(blocks).
  package func countWords(of index: PropertyNumber) throws -> WordStatistics {
    var statistics = WordStatistics()
    try scanRuns(of: index, in: KeyRange(prefix: WordKey.lengths)) { value, count in
      if let length = WordKey.length(of: value) { statistics.add(length, times: count) }
      return .more
    }
    return statistics
  }

  package func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    try countWords(of: index)
  }
}

extension ReadView {
  /// The statistics of an index of words, with all pending changes: those that it will have when
  /// all are saved.
  ///
  /// - Complexity: O(pending objects); if these or the store have changed since the last call, also
  ///   O(blocks of the store's entries of lengths + stored texts of the objects that have changed).
  package func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    var statistics = try snapshot.wordStatistics(of: index)
    if layers.isEmpty { return statistics }
    let lengths = KeyRange(prefix: WordKey.lengths)
    for (depth, segment) in layers.segments.enumerated() {
      for text in try storedTexts(of: segment, in: index)
      where !lookUp.isShadowed(text.object, above: depth) {
        statistics.add(Int(text.length), times: -1)
      }
      guard let run = segment.run(of: index) else { continue }
      for place in run.indices(in: lengths)
      where !lookUp.isShadowed(run.entries[place].object, above: depth) {
        if let length = WordKey.length(of: run.bytes(at: place)) { statistics.add(length) }
      }
    }
    return statistics
  }
}

extension ReadView {
  /// The lengths of the texts that the store has of the objects that a segment changes.
  ///
  /// - Complexity: O(1) if the last call was for the same generation of the store, else
  ///   O(changes + their stored texts).
  private func storedTexts(
    of segment: Segment, in index: PropertyNumber
  ) throws -> [StoredLengths.Text] {
    let generation = snapshot.generation
    if let known = segment.storedLengths.texts(of: index, in: generation) { return known }
    var texts: [StoredLengths.Text] = []
    for span in segment.changes.spans {
      guard let entity = schema.entity(span.entity),
        let slot = entity.indexes.first(where: { $0.number == index })?.slot
      else { continue }
      try snapshot.visitRecords(of: Array(segment.changes.keys[span.range])) { key, _, record in
        guard let start = record?.baseAddress,
          let text = entity.layout.slot(slot, at: start).bytes(.string)
        else { return }
        texts.append(
          StoredLengths.Text(object: key, length: UInt32(FoldedWords.count(in: text))))
      }
    }
    segment.storedLengths.keep(texts, of: index, in: generation)
    return texts
  }
}

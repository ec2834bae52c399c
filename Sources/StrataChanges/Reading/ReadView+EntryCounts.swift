// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

// Entries of an index are counted and skipped as if all changes were saved, without a walk: the
// store counts its blocks, and the pending changes give the difference.
//
// ```
//  visible  =  the store's  -  stale ones        +  pending ones
//              (blocks)        (look-ups)           (index runs)
// ```
//
// An entry of the store is stale if anything is pending for its object. To find the stale ones, the
// changed objects' stored records are looked up. A walk is faster if there are few entries for each
// of these.

extension ReadView {
  /// The number of entries that a walk passes in the time of one look-up.
  private static let entriesPerLookUp = 16
  /// The same for an index of words: each look-up divides a text into words.
  private static let wordsPerLookUp = 512

  private func entriesPerLookUp(in index: PropertyNumber) -> Int {
    let isOfWords = schema.entities(with: index).first.flatMap { schema.entity($0) }?.indexes
      .contains { $0.number == index && $0.isOfWords }
    return isOfWords == true ? Self.wordsPerLookUp : Self.entriesPerLookUp
  }

  /// The number of entries of an index within `range`; nil if a walk finds it as fast. Also the
  /// number of records that were looked up.
  package func countEntries(
    of index: PropertyNumber, in range: KeyRange
  ) throws -> (count: Int, lookUpCount: Int)? {
    let stored = try snapshot.countEntries(of: index, in: range)
    if layers.isEmpty { return (stored, 0) }
    let lookUpCountMax = stored / entriesPerLookUp(in: index)
    guard let changed = changedObjects(in: index, atMost: lookUpCountMax) else { return nil }
    let stale = try storedRun(of: index, changed)
    return (
      stored - stale.indices(in: range).count + pendingCount(of: index, in: range), changed.count
    )
  }

  /// The number of entries of an index within `range`, with those that newer changes replace; nil
  /// if there are more than `most`. It says how long a walk is, and no record is looked up.
  ///
  /// - Complexity: O(blocks of `most` entries + segments · log pending).
  package func entryCount(
    of index: PropertyNumber, in range: KeyRange, atMost most: Int
  ) throws -> Int? {
    let pending = layers.segments.reduce(0) { count, segment in
      count + (segment.run(of: index)?.indices(in: range).count ?? 0)
    }
    if pending > most { return nil }
    return try snapshot.countEntries(of: index, in: range, atMost: most - pending)
      .map { pending + $0 }
  }

  /// Passes over at most `most` entries of an index, as `Snapshot.skipEntries` does; over none if a
  /// walk is as fast. Also the number of records that were looked up: none, unless the skipped
  /// entries are worth it.
  package func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> (skipped: SkippedEntries, lookUpCount: Int) {
    if layers.isEmpty {
      return (
        try snapshot.skipEntries(of: index, in: range, isReversed: isReversed, upTo: most), 0
      )
    }
    var all = SkippedEntries(count: 0, rest: range)
    let least = pendingObjectCount(in: index) * entriesPerLookUp(in: index)
    guard least <= most else { return (all, 0) }
    var stale: IndexRun?
    var lookUpCount = 0
    while let rest = all.rest {
      // The pending entries in the part that is skipped are not known before it is. So first there
      // is room for all of them, and then again for fewer.
      let room = most - all.count - pendingCount(of: index, in: rest)
      if room <= 0 { break }
      let skipped = try snapshot.skipEntries(
        of: index, in: rest, isReversed: isReversed, upTo: room)
      if skipped.count == 0, skipped.rest != nil { break }
      if stale == nil {
        // A range may have fewer entries than are to be skipped. A fetch may have many such ranges.
        guard skipped.count >= least, let changed = changedObjects(in: index, atMost: .max)
        else { break }
        stale = try storedRun(of: index, changed)
        lookUpCount = changed.count
      }
      let part = skipped.part(of: rest, isReversed: isReversed)
      let staleCount = stale?.indices(in: part).count ?? 0
      all.count += skipped.count - staleCount + pendingCount(of: index, in: part)
      all.rest = skipped.rest
    }
    return (all, lookUpCount)
  }

  /// The number of pending objects of the entities that have the index; an object that is pending
  /// in several segments counts several times. O(segments · entities).
  private func pendingObjectCount(in index: PropertyNumber) -> Int {
    layers.segments.reduce(0) { count, segment in
      segment.changes.spans.reduce(count) { count, span in
        schema.entity(span.entity)?.has(index) == true ? count + span.range.count : count
      }
    }
  }

  /// The objects that have an entry in the index, if something is pending for them; nil if there
  /// are more than `most`.
  func changedObjects(in index: PropertyNumber, atMost most: Int) -> [ObjectKey]? {
    var keys: [ObjectKey] = []
    for (depth, segment) in layers.segments.enumerated() {
      for span in segment.changes.spans where schema.entity(span.entity)?.has(index) == true {
        guard span.range.count <= most - keys.count else { return nil }
        for key in segment.changes.keys[span.range] where !lookUp.isShadowed(key, above: depth) {
          keys.append(key)
        }
      }
    }
    // As the records are stored, and all of an entity together.
    keys.sort()
    return keys
  }

  /// The entries that the store has for `objects`, which ascend.
  func storedRun(of index: PropertyNumber, _ objects: [ObjectKey]) throws -> IndexRun {
    var builder: IndexRunBuilder?
    var entity: EntitySchema?
    try snapshot.visitRecords(of: objects) { key, _, record in
      guard let start = record?.baseAddress else { return }
      if entity?.number != key.entity {
        entity = schema.entity(key.entity)
        guard let entity, let index = entity.indexes.first(where: { $0.number == index }) else {
          return
        }
        if builder == nil {
          builder = IndexRunBuilder(index, entity.layout, expecting: objects.count)
        }
        builder?.goOn(to: index, entity.layout)
      }
      builder?.append(key, start)
    }
    return builder?.finished() ?? IndexRun()
  }

  /// The number of pending entries within `range`. O(segments · log pending) and, if there are
  /// several segments, O(entries).
  private func pendingCount(of index: PropertyNumber, in range: KeyRange) -> Int {
    var count = 0
    for (depth, segment) in layers.segments.enumerated() {
      guard let run = segment.run(of: index) else { continue }
      let indices = run.indices(in: range)
      count +=
        depth == 0
        ? indices.count
        : indices.count { !lookUp.isShadowed(run.entries[$0].object, above: depth) }
    }
    return count
  }
}

extension EntitySchema {
  /// Whether objects of this entity have an entry in an index.
  fileprivate func has(_ index: PropertyNumber) -> Bool {
    indexes.contains { $0.number == index }
  }
}

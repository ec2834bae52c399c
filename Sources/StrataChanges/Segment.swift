// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord
import Synchronization

/// An immutable batch of pending changes, ready to be read: records and tombstones by object, link
/// changes, and the sorted index runs of its records.
///
/// ## Invariants
/// - I1 Every change is complete with respect to the segments below it in its overlay.
/// - I2 `runs` has an entry for each record here, in each index that covers the record's entity.
/// - I3 `serials` holds the serial of each changed object.
/// - I4 A tag is set and cleared only while the store's write lock is held; once a commit with that
///   generation is visible it never changes again.
///
/// ## Isolation
/// Sendable: everything but the tag, the freezing and the era is constant, and those are atomic.
package final class Segment: Sendable {
  package let changes: [ObjectKey: Change]
  package let links: LinkChanges
  /// By the number of the indexed property.
  package let runs: [PropertyNumber: IndexRun]
  /// Nil if no object is changed. Most of what a fetch beside an import meets is older than all that
  /// is imported, and is known by this to be untouched without a look into `changes`.
  private let serials: ClosedRange<UInt64>?

  /// The generation that a commit under way will give to this segment's changes, or 0.
  private let tagged = Atomic<UInt64>(0)
  private let frozen = Atomic(false)
  /// That of the layer which has shown this segment first.
  private let era = AtomicLazyReference<Era>()

  /// Encodes the index runs; so it is made by whoever saves, never under a lock.
  package init(changes: [ObjectKey: Change], links: LinkChanges, schema: Schema) {
    self.changes = changes
    self.links = links
    runs = Self.runs(of: changes, schema)
    serials = Self.serials(of: changes)
  }

  /// Merges two neighbours of an overlay. Their index runs are sorted already and are merged as
  /// such.
  ///
  /// A delete of an object that came and went in the overlay stays: a child that saw the object may
  /// still push a change of it, or a link to it.
  init(_ newer: Segment, over older: Segment) {
    var changes = older.changes
    changes.merge(newer.changes) { _, newer in newer }
    var links = older.links
    links.apply(newer.links)
    self.changes = changes
    self.links = links
    runs = older.runs.merging(newer.runs) { _, newer in newer }.reduce(into: [:]) { runs, entry in
      runs[entry.key] = IndexRun.merge(
        newer.runs[entry.key] ?? IndexRun(), older.runs[entry.key] ?? IndexRun(),
        isHidden: { newer.touches($0) })
    }
    serials = Self.union(newer.serials, older.serials)
  }

  /// `segment` without the changes of `keys` and without what it says of the links in `forgotten`.
  init(_ segment: Segment, without keys: Set<ObjectKey>, _ forgotten: LinkChanges) {
    changes = segment.changes.filter { !keys.contains($0.key) }
    var links = segment.links
    links.filter { place, target, _ in forgotten.state(at: place, to: target) == nil }
    self.links = links
    runs = segment.runs.mapValues { run in
      IndexRun.merge(IndexRun(), run, isHidden: { keys.contains($0) })
    }
    serials = segment.serials
  }

  package var isEmpty: Bool { changes.isEmpty && links.isEmpty }

  /// How many objects and links it speaks of: what merging it costs.
  var size: Int { changes.count + links.count }

  // MARK: - Changes by object

  /// What is pending here for `key`, or nil if nothing is.
  package func change(for key: ObjectKey) -> Change? { mayTouch(key) ? changes[key] : nil }

  /// Whether anything is pending here for `key`.
  package func touches(_ key: ObjectKey) -> Bool {
    mayTouch(key) && changes.index(forKey: key) != nil
  }

  private func mayTouch(_ key: ObjectKey) -> Bool { serials?.contains(key.serial) ?? false }

  private static func serials(of changes: [ObjectKey: Change]) -> ClosedRange<UInt64>? {
    var all: ClosedRange<UInt64>?
    for key in changes.keys { all = union(all, key.serial...key.serial) }
    return all
  }

  private static func union(
    _ left: ClosedRange<UInt64>?, _ right: ClosedRange<UInt64>?
  ) -> ClosedRange<UInt64>? {
    guard let left, let right else { return left ?? right }
    return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
  }

  // MARK: - The tag

  /// The generation at which the store holds these changes, or what has come of them (`Era`); nil if
  /// they were not handed to it. A view whose snapshot has reached the tag leaves the segment out: the snapshot shows the same.
  package var tag: UInt64? { ownTag ?? era.load()?.tag }

  /// The tag of this segment itself, if it was handed to the store as it is.
  var ownTag: UInt64? {
    let tag = tagged.load(ordering: .acquiring)
    return tag == 0 ? nil : tag
  }

  /// Called by the store within its write transaction, before the commit.
  package func setTag(_ generation: UInt64) {
    tagged.store(generation, ordering: .releasing)
    era.load()?.setTag(generation)
  }

  /// Called by the store when the write transaction has failed, before another can begin.
  package func clearTag() {
    tagged.store(0, ordering: .releasing)
    era.load()?.clearTag()
  }

  /// Has this segment belong to `era`, unless it belongs to one.
  func join(_ era: Era) { _ = self.era.storeIfNil(era) }

  // MARK: - Freezing

  /// Whether a save has taken this segment as it is, so that it may not be merged with others.
  package var isFrozen: Bool { frozen.load(ordering: .acquiring) }

  package func freeze() { frozen.store(true, ordering: .releasing) }

  package func unfreeze() { frozen.store(false, ordering: .releasing) }

  // MARK: - Index runs

  private static func runs(
    of changes: [ObjectKey: Change], _ schema: Schema
  ) -> [PropertyNumber: IndexRun] {
    var runs: [PropertyNumber: IndexRun] = [:]
    for (key, change) in changes {
      guard let record = change.record, let entity = schema.entity(key.entity) else { continue }
      for index in entity.indexes {
        runs[index.number, default: IndexRun()].append(key) { bytes in
          index.append(valueOf: record, entity.layout, to: &bytes)
        }
      }
    }
    for number in runs.keys { runs[number]?.sort() }
    return runs
  }
}

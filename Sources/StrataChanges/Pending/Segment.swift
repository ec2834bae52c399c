// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives
package import StrataRecord
import Synchronization

/// An immutable batch of pending changes, ready to be read: records and tombstones by object, link
/// changes, and the sorted index runs of its records.
///
/// Runs are made at their first use. A context without children that fetches nothing makes none.
///
/// ## Invariants
/// - I1 A deletion has no record and every other change has one; an update has a base, an insertion
///   none.
/// - I2 A run has an entry for each record here that its index covers.
/// - I3 A segment with a tag gets no other.
///
/// The store sets and clears tags while it holds its write lock. Once a commit with the tag's
/// generation is visible, the tag stays.
///
/// ## Isolation
/// Sendable: everything but the runs, the key map, the lengths of texts in the store, the tag, the
/// freezing and the epoch is constant; those are atomic, and every maker makes the same run or map.
package final class Segment: Sendable {
  package let changes: ChangeTable
  package let links: LinkChanges
  let schema: Schema
  let madeRuns = MadeRuns()
  private let mapped = SetOnce<KeyMap>()
  private let madeLengths = SetOnce<StoredLengths>()

  /// The tag that a commit under way gives to this segment's changes (`CommitTag`), or 0.
  private let tagged = Atomic<UInt64>(0)
  private let frozen = Atomic(false)
  /// The epoch of the layer that showed this segment first.
  private let epoch = SetOnce<Epoch>()

  /// - Parameter runs: the runs that were made already.
  package init(
    changes: ChangeTable, links: LinkChanges = LinkChanges(), schema: Schema,
    runs: [(index: PropertyNumber, run: IndexRun)] = []
  ) {
    self.changes = changes
    self.links = links
    self.schema = schema
    for (index, run) in runs { madeRuns.keep(run, of: index) }
    checkInvariants()
  }

  package convenience init(
    changes: [ObjectKey: Change], links: LinkChanges = LinkChanges(), schema: Schema
  ) {
    self.init(changes: ChangeTable(changes), links: links, schema: schema)
  }

  /// `segment` without the changes of `keys` and without the state of the links in `forgotten`.
  convenience init(_ segment: Segment, without keys: Set<ObjectKey>, _ forgotten: LinkChanges) {
    var links = segment.links
    links.filter { place, target, _ in forgotten.state(at: place, to: target) == nil }
    self.init(
      changes: segment.changes.filter { !keys.contains($0.key) }, links: links,
      schema: segment.schema)
  }

  package var isEmpty: Bool { changes.isEmpty && links.isEmpty }

  /// The number of its objects and links.
  var size: Int { changes.count + links.count }

  /// The number of its objects and links, and of the entries of its runs: the cost of merging it.
  var entryCount: Int { size + madeRuns.entryCount }

  // MARK: - Changes by object

  /// The pending change of `key` in this segment, or nil.
  package func change(for key: ObjectKey) -> Change? { changes[key] }

  /// Whether anything is pending here for `key`.
  package func touches(_ key: ObjectKey) -> Bool { changes.index(of: key) != nil }

  /// Whether everything in the next older segment is changed again here, so that the overlay may do
  /// without it. O(size of that one), which is not larger.
  func hides(_ older: Segment) -> Bool {
    older.links.isEmpty && older.changes.count <= changes.count && !older.isFrozen
      && older.changes.keys.allSatisfy(touches)
  }

  /// Where the changes are, for walks. It is made for the first of them. O(1), the first time
  /// O(changes).
  var keyMap: KeyMap { mapped.load() ?? mapped.storeIfNil(KeyMap(changes)) }

  /// The lengths of the texts that the store has of this segment's objects.
  var storedLengths: StoredLengths { madeLengths.load() ?? madeLengths.storeIfNil(StoredLengths()) }

  // MARK: - The tag

  /// The tag of the commit by which the store has these changes or their results (`Epoch`); nil if
  /// they were not handed to it. A view whose snapshot shows that commit leaves the segment out:
  /// the snapshot shows the same.
  package var tag: UInt64? { ownTag ?? epoch.load()?.tag }

  /// The tag of this segment itself, if it was handed to the store as it is.
  var ownTag: UInt64? {
    let tag = tagged.load(ordering: .acquiring)
    return tag == 0 ? nil : tag
  }

  /// Called by the store within its write transaction, before the commit.
  package func setTag(_ tag: UInt64) {
    #if STRATA_CHECKS
      Self.requireNone(invariantBroken(byTag: tag))
    #endif
    tagged.store(tag, ordering: .releasing)
    epoch.load()?.setTag(tag)
  }

  /// Called by the store when the write transaction has failed, before another can begin.
  package func clearTag() {
    tagged.store(0, ordering: .releasing)
    epoch.load()?.clearTag()
  }

  /// Has this segment belong to `epoch`, unless it belongs to one.
  func join(_ epoch: Epoch) { self.epoch.storeIfNil(epoch) }

  // MARK: - Freezing

  /// Whether a save has taken this segment as it is, so that it may not be merged with others.
  package var isFrozen: Bool { frozen.load(ordering: .acquiring) }

  package func freeze() { frozen.store(true, ordering: .releasing) }

  package func unfreeze() { frozen.store(false, ordering: .releasing) }
}

// MARK: - Dependence on the state beneath

extension Segment {
  /// Whether the result of pushing this segment may depend on objects that other contexts can
  /// change: it updates or deletes objects, or links objects.
  package var restsOnOthers: Bool {
    !changes.isInsertsOnly || !links.isEmpty
      || changes.spans.contains { span in
        schema.entity(span.entity)?.relationships.contains { $0?.kind == .toOne } ?? false
      }
  }

  /// The objects to which the changes of this segment lead. O(changes).
  package var linkTargets: [ObjectKey] {
    var targets = links.byPlace.flatMap { [$0.key.owner] + $0.value.keys }
    for (place, key) in changes.keys.enumerated() {
      guard let record = changes.values[place].record, let entity = schema.entity(key.entity)
      else { continue }
      targets += changes.values[place].slots.intersection(entity.ends.targetSlots).compactMap {
        record.toOne(at: $0, layout: entity.layout)
      }
    }
    return targets
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The changes of a context since its last objectsDidChange, which one notification per turn
/// reports.
///
/// Lists may contain a key more than once; the notification has sets. The changed properties are
/// not computed here either: the turn keeps the encoded changes, as they were before composition,
/// and `ChangeContents` reads them on demand.
struct TurnChanges: Sendable {
  var inserted: [ObjectKey] = []
  var updated: [ObjectKey] = []
  var deleted: [ObjectKey] = []
  var refreshed: [ObjectKey] = []
  /// All registered objects, if they were released at once.
  var invalidated: [ObjectKey] = []
  /// The other ends of to-one links that changed, and the slots of their to-many relationships.
  var ends: [(key: ObjectKey, slot: Int)] = []
  /// The encoded and pushed changes, oldest first.
  private(set) var segments: [Segment] = []
  /// The changes of segments that are not kept.
  private(set) var folded = SlotChanges()

  /// Beyond this number segments are folded, so that a turn of many small edits does not keep them
  /// all.
  private static let segmentCountMax = 64

  var isEmpty: Bool {
    // Objects that came and went again within the turn are not changes.
    updated.isEmpty && refreshed.isEmpty && invalidated.isEmpty && ends.isEmpty
      && inserted.count == deleted.count
      && (inserted.isEmpty || inserted.sorted() == deleted.sorted())
  }

  /// Whether nothing was noted, including objects that were inserted and deleted.
  var isUntouched: Bool {
    isEmpty && inserted.isEmpty && deleted.isEmpty && segments.isEmpty && folded.isEmpty
  }

  /// Notes encoded or pushed changes. O(1), amortised over the changes.
  mutating func note(_ segment: Segment, schema: Schema) {
    segments.append(segment)
    if segments.count >= Self.segmentCountMax { foldSegments(schema) }
  }

  /// Notes changes, and the owners of their links as updated.
  mutating func noteAll(_ segment: Segment, schema: Schema) {
    note(segment, schema: schema)
    for place in segment.links.byPlace.keys { updated.append(place.owner) }
  }

  private mutating func foldSegments(_ schema: Schema) {
    for segment in segments { folded.add(segment, schema: schema) }
    segments = []
  }

  /// Notes that an object's to-many relationship at `slot` gained or lost a member by that member's
  /// to-one slot.
  mutating func noteEnd(_ key: ObjectKey, _ slot: Int) { ends.append((key, slot)) }

  /// Notes that a new object has got another key.
  mutating func replaceInserted(_ former: ObjectKey, by key: ObjectKey) {
    if let place = inserted.lastIndex(of: former) { inserted[place] = key }
  }

  /// Removes what was noted of objects that others have deleted: the report of the merge, which
  /// comes first, says it all. O(changes).
  mutating func forget(_ gone: Set<ObjectKey>) {
    inserted.removeAll(where: gone.contains)
    updated.removeAll(where: gone.contains)
    deleted.removeAll(where: gone.contains)
    refreshed.removeAll(where: gone.contains)
    ends.removeAll { gone.contains($0.key) }
  }

  /// Adds later changes.
  mutating func append(_ later: TurnChanges, schema: Schema) {
    inserted += later.inserted
    updated += later.updated
    deleted += later.deleted
    refreshed += later.refreshed
    invalidated += later.invalidated
    ends += later.ends
    if !later.folded.isEmpty {
      foldSegments(schema)
      folded.append(later.folded)
    }
    for segment in later.segments { note(segment, schema: schema) }
  }
}

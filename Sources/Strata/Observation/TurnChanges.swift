// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// What changed in a context since its last objectsDidChange: one notification a turn tells it.
///
/// Keys may stand in a list more than once; whoever reads the notification gets sets. Which
/// properties changed is not worked out here either: the turn keeps what was encoded, as it was
/// before composition, and `ChangeContents` looks into it when somebody asks.
struct TurnChanges: Sendable {
  var inserted: [ObjectKey] = []
  var updated: [ObjectKey] = []
  var deleted: [ObjectKey] = []
  var refreshed: [ObjectKey] = []
  /// All objects that were registered, if they were let go at once.
  var invalidated: [ObjectKey] = []
  /// The other ends of to-one links that changed, and the slots of their to-many relationships.
  var ends: [(key: ObjectKey, slot: Int)] = []
  /// What was encoded or pushed, oldest first.
  private(set) var segments: [Segment] = []
  /// What was in segments that are not kept.
  private(set) var folded = SlotChanges()

  /// So many segments are kept; then they are folded, so that a turn of many small edits does not
  /// hold them all.
  private static let segmentCountMax = 64

  var isEmpty: Bool {
    // Objects that came and went again within the turn are no change.
    updated.isEmpty && refreshed.isEmpty && invalidated.isEmpty && ends.isEmpty
      && inserted.count == deleted.count && Set(inserted) == Set(deleted)
  }

  /// Whether nothing was noted, not even what came and went.
  var isUntouched: Bool {
    isEmpty && inserted.isEmpty && deleted.isEmpty && segments.isEmpty && folded.isEmpty
  }

  /// Notes what was encoded or has landed. O(1), amortised over the changes.
  mutating func note(_ segment: Segment, schema: Schema) {
    segments.append(segment)
    if segments.count >= Self.segmentCountMax { foldSegments(schema) }
  }

  private mutating func foldSegments(_ schema: Schema) {
    for segment in segments { folded.add(segment, schema: schema) }
    segments = []
  }

  /// Notes that an object's to-many relationship at `slot` gained or lost a member whose to-one slot
  /// is the truth of it.
  mutating func noteEnd(_ key: ObjectKey, _ slot: Int) { ends.append((key, slot)) }

  /// Adds what changed after this.
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

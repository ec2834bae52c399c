// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The objects whose to-one links lead to an object with a pending deletion.
///
/// A deletion is looked up once for each state beneath the context, so a program that deletes and
/// fetches in turn pays for each deletion once. Within a state such a link appears in a later
/// segment of unsaved changes: a context makes none itself, but a merge brings the links of others,
/// and an edit those that an object shows which is older than the state. A link appears too if the
/// change that hid it is taken back, so the look-ups end when the unsaved changes are
/// replaced (`UnitOfWork.replaceWorking`).
///
/// ## Lifetime
/// The segments are weak: a saved one is not kept in memory for the next fetch.
///
/// ## Isolation
/// The context's.
struct LostLinks {
  private struct WeakSegment {
    weak var segment: Segment?
  }

  /// The store's state and the ancestors' segments for which the rest holds.
  private var generation: UInt64?
  private var inherited: [WeakSegment] = []
  /// The segments that were searched, and the deletions that were looked up.
  private var segments: [WeakSegment] = []
  private var deleted: Set<ObjectKey> = []
  private var owners: Set<ObjectKey> = []

  /// Whether nothing has been looked up.
  var isEmpty: Bool { generation == nil }

  /// The objects that may lead to an object with a pending deletion in `view`. Some of them may
  /// have been changed since.
  ///
  /// - Throws: the errors of the store.
  mutating func owners(in view: ReadView) throws -> Set<ObjectKey> {
    if generation != view.snapshot.generation || !Self.areSame(inherited, view.inherited) {
      self = LostLinks()
      generation = view.snapshot.generation
      inherited = view.inherited.map(WeakSegment.init)
    }
    let later = view.layers.segments.filter { segment in
      !segments.contains { $0.segment === segment }
    }
    if !deleted.isEmpty { for segment in later { search(segment.changes, in: view.schema) } }
    for segment in later where segment.changes.hasDeletes {
      try lookUp(segment.changes, in: view)
    }
    segments = view.layers.segments.map(WeakSegment.init)
    return owners
  }

  /// Finds links to the objects whose deletions were looked up before there was this segment.
  private mutating func search(_ changes: ChangeTable, in schema: Schema) {
    for span in changes.spans {
      guard let entity = schema.entity(span.entity), !entity.ends.targetSlots.isEmpty else {
        continue
      }
      for place in span.range {
        guard let record = changes.values[place].record else { continue }
        let isLost = entity.ends.targetSlots.contains { slot in
          record.toOne(at: slot, layout: entity.layout).map(deleted.contains) ?? false
        }
        if isLost { owners.insert(changes.keys[place]) }
      }
    }
  }

  private mutating func lookUp(_ changes: ChangeTable, in view: ReadView) throws {
    for span in changes.spans {
      guard let referrers = view.schema.entity(span.entity)?.ends.allReferrers, !referrers.isEmpty
      else { continue }
      for place in span.range where changes.values[place].kind == .delete {
        let key = changes.keys[place]
        if deleted.contains(key) { continue }
        for referrer in referrers {
          owners.formUnion(
            try view.referrers(to: key, index: referrer.index, slot: referrer.slot))
        }
        deleted.insert(key)
      }
    }
  }

  private static func areSame(_ known: [WeakSegment], _ segments: [Segment]) -> Bool {
    known.count == segments.count && zip(known, segments).allSatisfy { $0.segment === $1 }
  }
}

// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The pending changes of one context: a transaction in memory, as segments from the newest to the
/// oldest. A value: publishing an overlay copies it.
///
/// The first change of an object has its complete record (`Segment`, I1), so it alone answers a
/// read. `init` leaves empty segments out.
///
/// ## Invariants
/// - I1 Frozen segments are the oldest.
/// - I2 Among the segments that are not frozen, the first change of an object contains everything
///   that these have pending for it.
/// - I3 Each merge under way is of neighbouring segments, and no segment is in two.
///
/// They hold for the overlay that a context publishes. I2 does not hold for a layer's overlay
/// between a failed save and the context's next publication, nor for a `ReadView`, which lays the
/// segments of several contexts over each other.
package struct Overlay: Sendable {
  /// Newest first.
  package let segments: [Segment]
  /// The merges of neighbouring segments that are under way. They show nothing: an overlay of the
  /// same segments without them is the same.
  let merges: [SharedMerge]

  package init() { self.init(segments: [], merges: []) }

  package init(_ segments: [Segment]) {
    let isWhole = !segments.contains(where: \.isEmpty)
    self.init(segments: isWhole ? segments : segments.filter { !$0.isEmpty }, merges: [])
  }

  /// - Parameter segments: none is empty.
  package init(segments: [Segment], merges: [SharedMerge]) {
    self.segments = segments
    self.merges = merges
  }

  package var isEmpty: Bool { segments.isEmpty }

  /// The segments that no save under way carries. O(segments).
  var unfrozen: Overlay {
    guard let last = segments.last, last.isFrozen else { return self }
    return Overlay(segments.filter { !$0.isFrozen })
  }

  /// The segments that a save under way carries. O(segments).
  package var frozen: Overlay {
    guard let last = segments.last, last.isFrozen else { return Overlay() }
    return Overlay(segments.filter(\.isFrozen))
  }

  /// Whether there is anything that a save would change: more than objects that came and went, or
  /// that were only read.
  package var hasChanges: Bool {
    contains { _, change in change.isAnything } || hasLinkChanges
  }

  /// Whether there is a change of a link between objects neither of which was inserted and deleted.
  package var hasLinkChanges: Bool {
    func hasGone(_ key: ObjectKey) -> Bool {
      guard let change = change(for: key) else { return false }
      return change.kind == .delete && change.base == nil
    }
    return segments.contains { segment in
      segment.links.byPlace.contains { place, links in
        !hasGone(place.owner) && links.keys.contains { !hasGone($0) }
      }
    }
  }

  /// Whether a save has objects to look after that were only read.
  package var hasReadLocks: Bool { contains { _, change in change.isReadLock } }

  /// Whether the complete change of any object satisfies `predicate`. Replaced changes of older
  /// segments are not asked. O(changes × segments) at worst.
  package func contains(where predicate: (ObjectKey, Change) -> Bool) -> Bool {
    segments.indices.contains { depth in
      segments[depth].changes.contains { key, change in
        predicate(key, change) && !isShadowed(key, above: depth)
      }
    }
  }

  /// The pending change of `key`, or nil. O(segments).
  package func change(for key: ObjectKey) -> Change? {
    for segment in segments {
      if let change = segment.change(for: key) { return change }
    }
    return nil
  }

  /// The kind of the pending change of `key`, or nil. O(segments).
  package func kind(of key: ObjectKey) -> Change.Kind? {
    for segment in segments {
      if let place = segment.changes.index(of: key) { return segment.changes.values[place].kind }
    }
    return nil
  }

  /// Lets the segments make the index runs that `asked` was asked for. This comes before others see
  /// them, so that the first query of an index makes its runs, and later ones find them.
  package func prepareRuns(askedOf asked: Overlay) {
    for index in asked.runsMade {
      for segment in segments { _ = segment.run(of: index) }
    }
  }

  /// The indexes of which any segment has a run.
  private var runsMade: Set<PropertyNumber> {
    segments.reduce(into: []) { $0.formUnion($1.madeRuns.indexes) }
  }

  /// This overlay with `segment` on top.
  package func adding(_ segment: Segment) -> Overlay {
    segment.isEmpty ? self : Overlay(segments: [segment] + segments, merges: merges)
  }

  /// This overlay without `saved`, which a commit has made part of the store.
  package func removing(_ saved: [Segment]) -> Overlay {
    Overlay(segments.filter { segment in !saved.contains { $0 === segment } })
  }

  /// Whether both hold the same segments.
  package func isIdentical(to other: Overlay) -> Bool {
    segments.elementsEqual(other.segments, by: ===)
  }

  /// All pending changes, each object's complete one.
  package var changes: ChangeTable {
    segments.count == 1 ? segments[0].changes : .merged(segments.map(\.changes))
  }

  /// All pending link changes.
  package var links: LinkChanges {
    segments.reversed().reduce(into: LinkChanges()) { all, segment in all.apply(segment.links) }
  }
}

// MARK: - Links

extension Overlay {
  /// The pending links at `place`, the newest state of each. O(segments + links).
  package func links(at place: LinkPlace) -> [ObjectKey: LinkState] {
    segments.reversed().reduce(into: [:]) { links, segment in
      links.merge(segment.links.at(place)) { older, newer in newer.applied(over: older) }
    }
  }

  /// The pending state of one link, or nil. O(segments).
  package func link(at place: LinkPlace, to target: ObjectKey) -> LinkState? {
    var moved: LinkState?
    for segment in segments {
      guard let state = segment.links.state(at: place, to: target) else { continue }
      if state.isWhole { return moved?.applied(over: state) ?? state }
      moved = moved ?? state
    }
    return moved
  }

  /// The pending objects whose to-one slot, covered by `index`, leads to `target`. O(segments ×
  /// (log pending + results)).
  package func referrers(to target: ObjectKey, index: PropertyNumber) -> [ObjectKey] {
    keys(withEntriesFrom: KeyRange(leadingTo: target).lower, index: index)
  }

  /// The pending objects whose entry in an index begins with `prefix`. O(segments × (log pending +
  /// results)).
  func keys(withEntriesFrom prefix: [UInt8], index: PropertyNumber) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    for (depth, segment) in segments.enumerated() {
      guard let run = segment.run(of: index) else { continue }
      for position in run.firstIndex(notBelow: prefix)..<run.entries.count {
        guard run.withBytes(at: position, { $0.starts(with: prefix) }) else { break }
        let key = run.entries[position].object
        if !isShadowed(key, above: depth) { keys.append(key) }
      }
    }
    return keys
  }

  /// Whether a segment newer than the one at `depth` has a change of `key`.
  package func isShadowed(_ key: ObjectKey, above depth: Int) -> Bool {
    for index in 0..<depth where segments[index].touches(key) { return true }
    return false
  }
}

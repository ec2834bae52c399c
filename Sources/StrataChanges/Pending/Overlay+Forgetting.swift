// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

// Removes changes from an overlay as if they had never been made: an edit whose object equals its
// former state leaves nothing behind.

extension Overlay {
  /// This overlay without the unfrozen changes of `keys`, and without its unfrozen states of
  /// `links`, which equal the state beneath with the changes of a save under way. O(size of the
  /// segments that change).
  package func forgetting(_ keys: Set<ObjectKey>, links forgotten: LinkChanges) -> Overlay {
    if keys.isEmpty, forgotten.isEmpty { return self }
    return Overlay(
      segments.map { segment in
        if segment.isFrozen { return segment }
        let isTouched =
          keys.contains { segment.changes[$0] != nil }
          || forgotten.byPlace.contains { place, links in
            links.keys.contains { segment.links.state(at: place, to: $0) != nil }
          }
        return isTouched ? Segment(segment, without: keys, forgotten) : segment
      })
  }

  /// The links of `beneath` that have the same state with the unfrozen changes, in both directions.
  /// A link has no values, so a link that was added and removed again is unchanged.
  ///
  /// - Parameter beneath: states of links beneath the unfrozen changes.
  func links(asIn beneath: LinkChanges, _ schema: Schema) -> LinkChanges {
    let own = unfrozen
    func isSame(at place: LinkPlace, to target: ObjectKey) -> Bool {
      guard let under = beneath.state(at: place, to: target) else { return false }
      return own.link(at: place, to: target).map { $0.applied(over: under) == under } ?? true
    }
    var same = beneath
    same.filter { place, target, _ in
      let ends = schema.entity(place.owner.entity)?.ends.links
        .first { $0.number == place.relationship }
      guard let ends, isSame(at: place, to: target) else { return false }
      return ends.mirror.map { isSame(at: LinkPlace($0, target), to: place.owner) } ?? true
    }
    return same
  }
}

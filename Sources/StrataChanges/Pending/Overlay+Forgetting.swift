// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// Removes changes from an overlay as if they had never been made: an edit whose object equals its
// former state leaves nothing behind.

extension Overlay {
  /// This overlay without the unfrozen changes of `keys`, and without its words on `links` where no
  /// frozen segment has one: a save is under way with that, and a newer word must say otherwise.
  /// O(size of the segments that change).
  package func forgetting(_ keys: Set<ObjectKey>, links: LinkChanges) -> Overlay {
    let frozen = segments.filter(\.isFrozen)
    var forgotten = links
    forgotten.filter { place, target, _ in
      !frozen.contains { $0.links.state(at: place, to: target) != nil }
    }
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
}

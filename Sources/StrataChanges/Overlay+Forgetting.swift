// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// Taking changes out of an overlay again, as if they had never been made: what is left of an edit
// whose object is as it was before.

extension Overlay {
  /// This overlay without the changes of `keys` and without its words on `links`, except where a
  /// frozen segment speaks of them: a save is under way with that, and what was done since must say
  /// so. O(size of the segments that change).
  package func forgetting(_ keys: Set<ObjectKey>, links: LinkChanges) -> Overlay {
    let frozen = segments.filter(\.isFrozen)
    let keys = keys.filter { key in !frozen.contains { $0.changes[key] != nil } }
    var forgotten = links
    forgotten.filter { place, target, _ in
      !frozen.contains { $0.links.state(at: place, to: target) != nil }
    }
    return Overlay(
      segments.map { segment in
        let isTouched =
          keys.contains { segment.changes[$0] != nil }
          || forgotten.byPlace.contains { place, links in
            links.keys.contains { segment.links.state(at: place, to: $0) != nil }
          }
        return isTouched ? Segment(segment, without: keys, forgotten) : segment
      })
  }
}

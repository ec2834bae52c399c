// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Merges changes of links, in steps of any length. Where several have a state of a link, the
/// newest wins, as `LinkState.applied(over:)` has it.
///
/// ## Isolation
/// A value of one owner.
struct LinkMerge {
  /// Those that are still to be taken, newest first: the last is taken next.
  private var rest: [LinkChanges]
  /// The places and the targets of the last one that were taken; nil at a beginning.
  private var place: Dictionary<LinkPlace, [ObjectKey: LinkState]>.Index?
  private var target: Dictionary<ObjectKey, LinkState>.Index?
  private(set) var merged = LinkChanges()

  /// - Parameter changes: newest first.
  init(_ changes: [LinkChanges]) {
    rest = changes.filter { !$0.isEmpty }
    // A single table's links are taken as they are.
    if rest.count == 1 { merged = rest.removeLast() }
  }

  var isFinished: Bool { rest.isEmpty }

  /// Takes at most `budget` links, and reduces it by their number.
  mutating func advance(_ budget: inout Int) {
    while budget > 0, let links = rest.last?.byPlace {
      let place = place ?? links.startIndex
      if place == links.endIndex {
        rest.removeLast()
        (self.place, target) = (nil, nil)
        continue
      }
      let (at, states) = links[place]
      var next = target ?? states.startIndex
      while budget > 0, next != states.endIndex {
        merged.set(states[next].value, at: at, to: states[next].key)
        states.formIndex(after: &next)
        budget -= 1
      }
      let isTaken = next == states.endIndex
      (self.place, target) = isTaken ? (links.index(after: place), nil) : (place, next)
    }
  }
}

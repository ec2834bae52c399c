// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// Plans which link entries come and go.
///
/// ## Isolation
/// The writer thread.
struct LinkPlanning {
  let state: StateAfterSave

  /// Plans the links that go with deleted objects, and those that the save adds and removes.
  func run() throws {
    for section in state.plan.sections {
      let ends = section.entity.ends
      if !ends.haveEntries { continue }
      for place in section.items.indices where section.items[place].new == nil {
        let item = section.items[place]
        for links in ends.links { try state.plan.remove(links, of: item.key, in: state.view) }
        if let old = item.old {
          state.plan.removePositions(of: item.key, old, section.entity.layout, ends.targets)
        }
      }
    }
    try planOwnLinks()
    state.plan.sortLinks()
  }

  /// Plans the links of the change set, which has both directions of each added and removed link.
  /// Links whose end a merge policy dropped are dropped, and also positions whose owner or member
  /// no longer exists: a position is not a link, and any deletion removes it with its objects.
  private func planOwnLinks() throws {
    for (place, links) in state.plan.links.byPlace {
      require(
        state.view.trees.entries(of: place.relationship) != nil,
        "a change set holds links of the model's own relationships")
      var changes = state.plan.linkEntries.removeValue(forKey: place.relationship) ?? .init()
      let isChecked = state.dropsLinks || !state.plan.merged.isEmpty || state.holdsPositions(place)
      let isOwnerThere = try !isChecked || state.exists(place.owner)
      for (target, link) in links {
        if link == .absent {
          changes.removed.append(.init(owner: place.owner, target: target))
          continue
        }
        guard isOwnerThere, try !isChecked || state.exists(target) else { continue }
        // Another save has removed the link, and its removal wins.
        if case .moved = link, try state.view.link(at: place, to: target) == nil { continue }
        changes.added.append(
          .init(owner: place.owner, target: target, position: link.position ?? 0))
      }
      state.plan.linkEntries[place.relationship] = changes
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

// The relationship of many to many. Its links are no property of an object: they are added and
// removed one by one, conflict with nothing, and are there as long as both their ends are.

extension ContextOracle {
  /// The links that a context shows: those whose ends it shows.
  func links(_ place: Place) -> LinkSet { visible(allLinks(place), in: place) }

  func allLinks(_ place: Place) -> LinkSet {
    linkEdits[place.rawValue].over(linksBeneath(place))
  }

  /// The links beneath a context's own newest changes, whether or not it shows their ends.
  func linksBeneath(_ place: Place) -> LinkSet {
    let below = pins[place.rawValue]?.oracle ?? self
    return frozenLinks[place.rawValue].over(below.linksUnder(place))
  }

  private func linksUnder(_ place: Place) -> LinkSet {
    place.parent.map(allLinks) ?? storedLinks
  }

  private func visible(_ links: LinkSet, in place: Place) -> LinkSet {
    guard !links.isEmpty else { return links }
    var result = links
    for key in Self.keys where look(place, key) == nil { result.remove(key) }
    return result
  }

  mutating func like(_ place: Place, _ owner: Int, _ target: Int, _ isLinked: Bool) {
    guard links(place)[owner, target] != isLinked else { return }
    linkEdits[place.rawValue].set(owner, target, isLinked)
    linkEdits[place.rawValue].drop(owner, target, beneath: linksBeneath(place))
  }

  mutating func pushLinks(
    _ place: Place, deleting deleted: [Int], _ lost: [Int], onto parent: Place
  ) {
    var batch = linkEdits[place.rawValue]
    linkEdits[place.rawValue] = LinkEdits()
    for key in deleted { unlink(parent, key) }
    for key in lost { batch.removed.remove(key) }
    for key in Self.keys where look(parent, key) == nil { batch.added.remove(key) }
    if moves.remove(place) != nil { moves.insert(parent) }
    // What one level has done and the next has taken back is no change.
    let returning = batch.touched.intersection(linkEdits[parent.rawValue].touched)
    linkEdits[parent.rawValue] = linkEdits[parent.rawValue].under(batch)
    linkEdits[parent.rawValue].drop(returning, beneath: linksBeneath(parent))
    // Nor are the links of an object that one has made and the other has deleted.
    for key in deleted where !hasUnsaved(parent, key) { linkEdits[parent.rawValue].remove(key) }
  }

  /// Takes an object's unsaved links away.
  mutating func unlink(_ place: Place, _ key: Int) {
    let pending = linkEdits[place.rawValue].added.touching(key)
    let saving = frozenLinks[place.rawValue].added.touching(key)
    linkEdits[place.rawValue].added.remove(key)
    linkEdits[place.rawValue].removed.formUnion(pending)
    linkEdits[place.rawValue].removed.formUnion(saving)
  }

  /// Takes all links away that a context shows of an object.
  mutating func unlinkShown(_ place: Place, _ key: Int) {
    let shown = links(place)
    linkEdits[place.rawValue].added.remove(key)
    for owner in LinkSet.owners {
      for target in Self.keys
      where shown[owner, target] && (owner % Self.keyCount == key || target == key) {
        like(place, owner, target, false)
      }
    }
  }

  /// Whether the order of a list has changed is told by nothing that a promise is about.
  mutating func stop(_ place: Place, _ key: Int, _ target: Int) {
    let owner = LinkSet.owner(of: key, ordered: true)
    if links(place)[owner, target] {
      moves.insert(place)
    } else {
      // One that went and comes back stands elsewhere.
      let isBack = linksBeneath(place)[owner, target]
      like(place, owner, target, true)
      if isBack {
        moves.insert(place)
        linkEdits[place.rawValue].added[owner, target] = true
      }
    }
  }

  /// Of links whose ends are gone nothing stays.
  mutating func dropLinks(_ place: Place) {
    guard !linkEdits[place.rawValue].isEmpty else { return }
    for key in Self.keys where look(place, key) == nil && !hasUnsaved(place, key) {
      linkEdits[place.rawValue].remove(key)
    }
  }

  /// Whether a context must have changes for the sake of links, and whether it may have.
  package func hasLinkChanges(_ place: Place) -> (must: Bool, may: Bool) {
    let edits = linkEdits[place.rawValue]
    // Undo may leave the removal of a link that others have removed since.
    if edits.isEmpty { return (false, moves.contains(place) || undoStacks[place.rawValue] != nil) }
    let below = linksBeneath(place)
    var changes = edits
    changes.drop(beneath: below)
    changes.added = visible(changes.added, in: place)
    changes.removed = visible(changes.removed, in: place)
    return (!changes.isEmpty, true)
  }
}

// SPDX-License-Identifier: Apache-2.0

// The relationship of many to many. Its links are no property of an object: they are added and
// removed one by one, conflict with nothing, and are there as long as both their ends are.

extension Promise {
  /// The links that a context shows.
  func links(_ place: Place) -> LinkSet {
    visible(linkEdits[place.rawValue].over(linksBeneath(place)), in: place)
  }

  /// The links beneath a context's own newest changes, whether or not it shows their ends.
  private func linksBeneath(_ place: Place) -> LinkSet {
    let below: LinkSet
    if let pin = pins[place.rawValue] {
      below = pin.promise.linksUnder(place)
    } else {
      below = linksUnder(place)
    }
    return frozenLinks[place.rawValue].over(below)
  }

  private func linksUnder(_ place: Place) -> LinkSet {
    guard let parent = place.parent else { return storedLinks }
    // What the parent has deleted has no links, whoever has edited it below.
    return links(parent)
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
    linkEdits[place.rawValue].drop(beneath: linksBeneath(place))
  }

  mutating func pushLinks(_ place: Place, onto parent: Place) {
    var batch = linkEdits[place.rawValue]
    linkEdits[place.rawValue] = LinkEdits()
    for key in Self.keys where look(parent, key) == nil { batch.remove(key) }
    if moves.remove(place) != nil { moves.insert(parent) }
    linkEdits[parent.rawValue] = linkEdits[parent.rawValue].under(batch)
  }

  /// Whether the order of a list has changed is told by nothing that a promise is about.
  mutating func stop(_ place: Place, _ key: Int, _ target: Int) {
    let owner = LinkSet.owner(of: key, ordered: true)
    if links(place)[owner, target] {
      moves.insert(place)
    } else {
      like(place, owner, target, true)
    }
  }

  /// Of links whose ends are gone nothing stays.
  mutating func dropLinks(_ place: Place) {
    guard !linkEdits[place.rawValue].isEmpty else { return }
    for key in Self.keys where look(place, key) == nil { linkEdits[place.rawValue].remove(key) }
  }

  /// Whether a context must have changes for the sake of links, and whether it may have.
  package func hasLinkChanges(_ place: Place) -> (must: Bool, may: Bool) {
    let edits = linkEdits[place.rawValue]
    if edits.isEmpty { return (false, moves.contains(place)) }
    let below = linksBeneath(place)
    var changes = edits
    changes.drop(beneath: below)
    changes.added = visible(changes.added, in: place)
    changes.removed = visible(changes.removed, in: place)
    return (!changes.isEmpty, true)
  }
}

// SPDX-License-Identifier: Apache-2.0

// A save to the store, in two steps; changes in between are on top. Through ancestors it is as if
// each level had saved in turn, without showing it before the commit.

extension ContextOracle {
  /// A save to the store that is under way.
  struct Saving {
    /// The context that was asked to save.
    var saver: Place
    /// The contexts that have changes in it, from the saver up.
    var levels: [Place] = []
    /// The changes of all levels, each on top of the levels above it: the store gets them.
    var changes: [Edit?]
    var links: LinkEdits
    /// The objects that go through each context above the saver.
    var passing: [Place: Set<Int>] = [:]
    /// Of each level, the objects that were new in it and deleted there.
    var vanished: [Place: Set<Int>] = [:]
  }

  mutating func saveToStore(_ place: Place, _ policy: Policy) -> Outcome {
    begin(place) == .conflict ? .conflict : finish(policy)
  }

  /// - Returns: a conflict if a level's changes are in conflict with those of the level above.
  mutating func begin(_ place: Place) -> Outcome {
    var all = self
    var passing: [Place: Set<Int>] = [:]
    var below: Set<Int> = []
    var top = place
    while let parent = top.parent {
      below.formUnion(Self.keys.filter { edits[top.rawValue][$0] != nil })
      below.formUnion(Self.keys.filter { all.edits[top.rawValue][$0] != nil })
      below.formUnion(linkEdits[top.rawValue].ends)
      passing[parent] = below
      if all.hasEdits(top), all.push(top) == .conflict { return .conflict }
      top = parent
    }
    var saving = Saving(
      saver: place, changes: all.edits[top.rawValue], links: all.linkEdits[top.rawValue],
      passing: passing)
    for level in [place] + place.above where hasEdits(level) {
      saving.levels.append(level)
      saving.vanished[level] = vanished[level.rawValue]
      frozen[level.rawValue] = edits[level.rawValue]
      edits[level.rawValue] = Array(repeating: nil, count: Self.keyCount)
      frozenLinks[level.rawValue] = linkEdits[level.rawValue]
      linkEdits[level.rawValue] = LinkEdits()
    }
    self.saving = saving
    return .saved
  }

  /// Whether a save to the parent waits for the save that is under way: it is checked, and has
  /// objects that go through the parent.
  func isWaiting(_ place: Place) -> Bool {
    guard let parent = place.parent, let passing = saving?.passing[parent],
      let policy = checked[place], policy != .object
    else { return false }
    return passing.contains { edits[place.rawValue][$0] != nil }
  }

  mutating func finish(_ policy: Policy) -> Outcome {
    guard let saving else { return .saved }
    self.saving = nil
    let (frozen, frozenLinks) = (frozen, frozenLinks)
    for level in saving.levels {
      self.frozen[level.rawValue] = Array(repeating: nil, count: Self.keyCount)
      self.frozenLinks[level.rawValue] = LinkEdits()
    }
    do {
      let after = try decided(saving.changes, policy)
      let linksAfter = try decided(saving.links, after, policy)
      let former = version
      write(after)
      let counted = count()
      storedLinks = linksAfter
      for level in saving.levels { settle(level, frozen[level.rawValue], since: former) }
      let effects = Set(after.keys).union(counted).filter { saving.changes[$0] == nil }
      for level in ([saving.saver] + saving.saver.above).reversed() {
        let own = frozen[level.rawValue]
        take(saving, effects, beside: Set(Self.keys.filter { own[$0] != nil }), in: level)
      }
      return .saved
    } catch {
      // Composed back: the older beneath, the newer above.
      for level in saving.levels.reversed() {
        let (place, older) = (level.rawValue, frozen[level.rawValue])
        let returning = frozenLinks[place].touched.intersection(linkEdits[place].touched)
        linkEdits[place] = frozenLinks[place].under(linkEdits[place])
        linkEdits[place].drop(returning, beneath: linksBeneath(level))
        for key in Self.keys {
          guard let older = older[key] else { continue }
          edits[place][key] = edits[place][key].map { $0.over(older) } ?? older
        }
      }
      return .conflict
    }
  }

  /// A level takes the effects of the save on other objects, and merges the changes from below, as
  /// another commit. An edit that was made since the save was begun stays as it is: it was made
  /// from the state before.
  ///
  /// - Parameter own: the objects that the level has saved itself, which it shows as stored.
  private mutating func take(
    _ saving: Saving, _ effects: Set<Int>, beside own: Set<Int>, in level: Place
  ) {
    let below = saving.passing[level] ?? []
    if below.isEmpty, !saving.levels.contains(level) { return }
    vanished[level.rawValue].subtract(saving.vanished[level] ?? [])
    // If a deletion has given way, so does one that was taken back and made again since.
    vanished[level.rawValue].subtract(below.union(own).filter { store[$0] != nil })
    if isPinned(level) { pin(level) }
    for key in below.subtracting(own) where edits[level.rawValue][key] == nil {
      refresh(level, key)
    }
    for key in effects { renew(level, key) }
    if automatic.contains(level), !isPinned(level) { merge(level, isAutomatic: true) }
  }
}

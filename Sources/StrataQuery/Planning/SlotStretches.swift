// SPDX-License-Identifier: Apache-2.0

/// What the terms of an "and" say of the object's own slots, the terms on one slot joined.
struct SlotStretches {
  /// What is said of one slot.
  struct Joined {
    let slot: Int
    fileprivate(set) var keys: KeyStretch
    /// The terms that are about the slot.
    fileprivate(set) var terms: TermSet
    /// Those that hold of every object whose entry is in the ranges, and is certain.
    fileprivate(set) var answered: TermSet
  }

  /// Few, so they are looked through.
  private var all: [Joined] = []

  /// O(terms · slots).
  init(_ terms: [any Condition]) {
    for (index, term) in terms.enumerated() {
      guard let stretch = term.stretch else { continue }
      add(stretch, of: index)
    }
  }

  private mutating func add(_ stretch: SlotStretch, of term: Int) {
    var keys = stretch.keys
    var answered = TermSet(term)
    if keys.certainty == .none {
      // The term is asked of each object that is found; of the others it says nothing.
      (keys.certainty, answered) = (.all, TermSet())
    }
    guard let index = all.firstIndex(where: { $0.slot == stretch.slot }) else {
      all.append(
        Joined(slot: stretch.slot, keys: keys, terms: TermSet(term), answered: answered))
      return
    }
    var joined = all[index].keys.intersection(keys)
    answered.formUnion(all[index].answered)
    // Two texts that an entry may begin with: neither's look at the bytes tells of the other.
    if joined.certainty == .none { (joined.certainty, answered) = (.all, TermSet()) }
    all[index].keys = joined
    all[index].terms.formUnion(TermSet(term))
    all[index].answered = answered
  }

  /// What is said of `slot`; nil if nothing is.
  subscript(slot: Int) -> Joined? {
    for joined in all where joined.slot == slot { return joined }
    return nil
  }

  /// Whether all objects that satisfy the terms have the same value in `slot`.
  func isFixed(_ slot: Int) -> Bool {
    for joined in all where joined.slot == slot { return joined.keys.points?.count == 1 }
    return false
  }
}

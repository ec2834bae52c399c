// SPDX-License-Identifier: Apache-2.0

/// What the terms of an "and" say of the object's own slots, the terms on one slot joined.
struct SlotStretches {
  /// What is said of one slot.
  struct Joined {
    var keys: KeyStretch
    /// The terms that hold of every object whose entry is in the ranges, and is certain.
    var answered: TermSet
  }

  /// Few, so they are looked through.
  private var all: [(slot: Int, joined: Joined)] = []

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
      all.append((stretch.slot, Joined(keys: keys, answered: answered)))
      return
    }
    var joined = all[index].joined.keys.intersection(keys)
    answered.formUnion(all[index].joined.answered)
    // Two texts that an entry may begin with: neither's look at the bytes tells of the other.
    if joined.certainty == .none { (joined.certainty, answered) = (.all, TermSet()) }
    all[index].joined = Joined(keys: joined, answered: answered)
  }

  /// What is said of `slot`; nil if nothing is.
  subscript(slot: Int) -> Joined? { all.first { $0.slot == slot }?.joined }

  /// Whether all objects that satisfy the terms have the same value in `slot`.
  func isFixed(_ slot: Int) -> Bool { self[slot]?.keys.points?.count == 1 }
}

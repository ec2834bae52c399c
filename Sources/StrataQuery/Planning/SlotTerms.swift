// SPDX-License-Identifier: Apache-2.0

/// What the terms of an "and" say of the object's own slots, the terms on one slot joined.
struct SlotTerms {
  /// What is said of one slot.
  struct Joined {
    let slot: Int
    fileprivate(set) var range: IndexRange
    /// The terms that are about the slot.
    fileprivate(set) var terms: TermSet
    /// Those that hold of every object whose entry is in the range, and is certain.
    fileprivate(set) var answered: TermSet
  }

  /// Few, so they are looked through.
  private var all: [Joined] = []

  /// O(terms · slots).
  init(_ terms: [any Condition]) {
    for (index, term) in terms.enumerated() {
      guard let (slot, range) = term.range else { continue }
      var added = Joined(
        slot: slot, range: range, terms: TermSet(index), answered: TermSet(index))
      // The term is asked of each object that is found; of the others it says nothing.
      if range.certainty == .none { added.forgetAnswers() }
      guard let place = all.firstIndex(where: { $0.slot == slot }) else {
        all.append(added)
        continue
      }
      all[place].join(added)
    }
  }

  /// What is said of `slot`; nil if nothing is.
  subscript(slot: Int) -> Joined? { all.first { $0.slot == slot } }

  /// Whether all objects that satisfy the terms have the same value in `slot`.
  func isFixed(_ slot: Int) -> Bool { self[slot]?.range.points?.count == 1 }
}

extension SlotTerms.Joined {
  fileprivate mutating func join(_ other: SlotTerms.Joined) {
    range = range.intersection(other.range)
    terms.formUnion(other.terms)
    answered.formUnion(other.answered)
    // Two texts that an entry may begin with: neither's look at the bytes tells of the other.
    if range.certainty == .none { forgetAnswers() }
  }

  fileprivate mutating func forgetAnswers() {
    range.certainty = .all
    answered = TermSet()
  }
}

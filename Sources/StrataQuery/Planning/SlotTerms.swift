// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The index ranges that the terms of an "and" leave for the object's own slots. Terms on one slot
/// are joined.
struct SlotTerms {
  /// The joined terms of one slot.
  struct Joined {
    let slot: Int
    fileprivate(set) var range: IndexRange
    /// The terms on the slot.
    fileprivate(set) var terms: TermSet
    /// The terms that every object with a certain entry in the range satisfies.
    fileprivate(set) var answered: TermSet
  }

  /// An array, because there are few slots.
  private var all: [Joined] = []

  /// - Complexity: O(ranges · log terms), for few slots.
  init(_ terms: [any Condition]) {
    /// The terms on a slot that has one already.
    var further: [Joined] = []
    for (index, term) in terms.enumerated() {
      guard let (slot, range) = term.range else { continue }
      var added = Joined(
        slot: slot, range: range, terms: TermSet(index), answered: TermSet(index))
      // A range without certainty answers no term: the term is evaluated for each object found.
      if range.certainty == .none { added.forgetAnswers() }
      if all.contains(where: { $0.slot == slot }) {
        further.append(added)
      } else {
        all.append(added)
      }
    }
    if further.isEmpty { return }
    for place in all.indices {
      let slot = all[place].slot
      let joined = [all[place]] + further.filter { $0.slot == slot }
      all[place] = joined.joinedInPairs { $0.joined(with: $1) }
    }
  }

  /// The joined terms of `slot`; nil if no term is on the slot.
  subscript(slot: Int) -> Joined? { all.first { $0.slot == slot } }

  /// Whether all objects that satisfy the terms have the same value in `slot`.
  func isFixed(_ slot: Int) -> Bool { self[slot]?.range.points?.count == 1 }
}

extension SlotTerms.Joined {
  fileprivate func joined(with other: SlotTerms.Joined) -> SlotTerms.Joined {
    var joined = self
    joined.range = range.intersection(other.range)
    joined.terms.formUnion(other.terms)
    joined.answered.formUnion(other.answered)
    // Two prefixes of one text: the bytes tested for one do not decide the other.
    if joined.range.certainty == .none { joined.forgetAnswers() }
    return joined
  }

  fileprivate mutating func forgetAnswers() {
    range.certainty = .all
    answered = TermSet()
  }
}

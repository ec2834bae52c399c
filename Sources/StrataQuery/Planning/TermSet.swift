// SPDX-License-Identifier: Apache-2.0

/// Which terms of an "and" an index answers, by their places.
///
/// A word, because each fetch makes several of them. Of the terms beyond the 64th none is ever known to
/// be answered: they are asked of each object.
struct TermSet: Sendable, Hashable {
  private var bits: UInt64 = 0

  init() {}

  init(_ term: Int) { if term < UInt64.bitWidth { bits = 1 << UInt64(term) } }

  var count: Int { bits.nonzeroBitCount }

  func contains(_ term: Int) -> Bool { term < UInt64.bitWidth && bits >> UInt64(term) & 1 == 1 }

  func isSubset(of other: TermSet) -> Bool { bits & ~other.bits == 0 }

  mutating func formUnion(_ other: TermSet) { bits |= other.bits }

  mutating func subtract(_ other: TermSet) { bits &= ~other.bits }
}

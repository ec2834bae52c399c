// SPDX-License-Identifier: Apache-2.0

/// A set of terms of an "and", by their indices: the terms that an index answers.
///
/// One word, because each fetch creates several sets. Terms beyond the 64th are never in the set,
/// so they are evaluated for each object.
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

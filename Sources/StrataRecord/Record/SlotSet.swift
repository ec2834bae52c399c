// SPDX-License-Identifier: Apache-2.0

/// A set of slots: which properties of an object changed, are transient, differ.
///
/// It exists because such a set is made for every change of every object: up to 64 slots it is one
/// word and allocates nothing; entities with more pay for one array.
///
/// ## Invariants
/// - I1: `more` is not empty and does not end with a zero word, so that equal sets have equal
///   representations. It is nil rather than empty, so that copies count no references.
@frozen
@usableFromInline
package struct SlotSet: Sendable, Hashable {
  /// Slots 0 … 63.
  @usableFromInline var first: UInt64
  /// Slots from 64 on, 64 in each word; nil if there are none.
  @usableFromInline var more: [UInt64]?

  /// The empty set.
  @inlinable package init() {
    first = 0
    more = nil
  }

  /// All slots of `range`.
  package init(_ range: Range<Int>) {
    self.init()
    for slot in range { insert(slot) }
  }

  @inlinable package var isEmpty: Bool { first == 0 && more == nil }

  /// How many slots are in the set.
  package var count: Int {
    guard let more else { return first.nonzeroBitCount }
    return more.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
  }

  @inlinable package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return first & (1 << UInt64(slot)) != 0 }
    guard let more else { return false }
    let word = slot >> 6 - 1
    return word < more.count && more[word] & (1 << UInt64(slot & 63)) != 0
  }

  @inlinable package mutating func insert(_ slot: Int) {
    if slot < 64 { first |= 1 << UInt64(slot) } else { insertBeyond(slot) }
  }

  @usableFromInline mutating func insertBeyond(_ slot: Int) {
    let word = slot >> 6 - 1
    var words = more ?? []
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt64(slot & 63)
    more = words
  }
}

// MARK: - Set algebra

extension SlotSet {
  package mutating func formUnion(_ other: SlotSet) {
    first |= other.first
    if other.more != nil { combineMore(with: other, |) }
  }

  package func union(_ other: SlotSet) -> SlotSet {
    var result = self
    result.formUnion(other)
    return result
  }

  package mutating func subtract(_ other: SlotSet) {
    first &= ~other.first
    if more != nil, other.more != nil { combineMore(with: other) { $0 & ~$1 } }
  }

  package func subtracting(_ other: SlotSet) -> SlotSet {
    var result = self
    result.subtract(other)
    return result
  }

  package func intersection(_ other: SlotSet) -> SlotSet {
    var result = self
    result.first &= other.first
    if more != nil { result.combineMore(with: other, &) }
    return result
  }

  private mutating func combineMore(
    with other: SlotSet, _ combine: (UInt64, UInt64) -> UInt64
  ) {
    let (ours, theirs) = (more ?? [], other.more ?? [])
    let words = (0..<Swift.max(ours.count, theirs.count)).map { word in
      combine(word < ours.count ? ours[word] : 0, word < theirs.count ? theirs[word] : 0)
    }
    let count = (words.lastIndex { $0 != 0 } ?? -1) + 1
    more = count == 0 ? nil : Array(words[..<count])
  }

  @inlinable package func isDisjoint(with other: SlotSet) -> Bool {
    guard first & other.first == 0 else { return false }
    guard let more, let theirs = other.more else { return true }
    return zip(more, theirs).allSatisfy { $0 & $1 == 0 }
  }

  package func isSubset(of other: SlotSet) -> Bool {
    guard first & ~other.first == 0 else { return false }
    guard let more else { return true }
    guard let theirs = other.more, more.count <= theirs.count else { return false }
    return zip(more, theirs).allSatisfy { $0 & ~$1 == 0 }
  }
}

// MARK: - Sequence

extension SlotSet: Sequence {
  /// The slots in ascending order.
  @frozen
  @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var bits: UInt64
    @usableFromInline var base = 0
    @usableFromInline let more: [UInt64]?

    @inlinable init(_ set: SlotSet) {
      bits = set.first
      more = set.more
    }

    @inlinable package mutating func next() -> Int? {
      while bits == 0 {
        guard let more, base >> 6 < more.count else { return nil }
        bits = more[base >> 6]
        base += 64
      }
      let bit = bits.trailingZeroBitCount
      bits &= bits &- 1
      return base + bit
    }
  }

  @inlinable package func makeIterator() -> Iterator { Iterator(self) }

  @inlinable package var underestimatedCount: Int { first.nonzeroBitCount }
}

extension SlotSet: ExpressibleByArrayLiteral {
  @usableFromInline
  package init(arrayLiteral slots: Int...) {
    self.init()
    for slot in slots { insert(slot) }
  }
}

extension SlotSet: CustomStringConvertible {
  @usableFromInline
  package var description: String { "\(Array(self))" }
}

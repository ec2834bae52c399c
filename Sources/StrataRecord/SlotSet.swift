// SPDX-License-Identifier: Apache-2.0

/// A set of slots: which properties of an object changed, are transient, differ.
///
/// It exists because such a set is made for every change of every object: up to 64 slots it is one
/// word and allocates nothing; entities with more pay for one array.
///
/// ## Invariants
/// - I1: `more` does not end with a zero word, so that equal sets have equal representations.
@frozen
@usableFromInline
package struct SlotSet: Sendable, Hashable {
  /// Slots 0 … 63.
  @usableFromInline var first: UInt64
  /// Slots from 64 on, 64 in each word.
  @usableFromInline var more: [UInt64]

  /// The empty set.
  @inlinable package init() {
    first = 0
    more = []
  }

  /// All slots of `range`.
  package init(_ range: Range<Int>) {
    self.init()
    for slot in range { insert(slot) }
  }

  @inlinable package var isEmpty: Bool { first == 0 && more.isEmpty }

  /// How many slots are in the set.
  package var count: Int { more.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  @inlinable package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return first & (1 << UInt64(slot)) != 0 }
    let word = slot >> 6 - 1
    return word < more.count && more[word] & (1 << UInt64(slot & 63)) != 0
  }

  @inlinable package mutating func insert(_ slot: Int) {
    if slot < 64 { first |= 1 << UInt64(slot) } else { insertBeyond(slot) }
  }

  package mutating func remove(_ slot: Int) {
    if slot < 64 {
      first &= ~(1 << UInt64(slot))
      return
    }
    let word = slot >> 6 - 1
    guard word < more.count else { return }
    more[word] &= ~(1 << UInt64(slot & 63))
    trim()
  }

  @usableFromInline mutating func insertBeyond(_ slot: Int) {
    let word = slot >> 6 - 1
    while more.count <= word { more.append(0) }
    more[word] |= 1 << UInt64(slot & 63)
  }

  private mutating func trim() {
    while more.last == 0 { more.removeLast() }
  }
}

// MARK: - Set algebra

extension SlotSet {
  package mutating func formUnion(_ other: SlotSet) {
    first |= other.first
    for (word, bits) in other.more.enumerated() {
      if word < more.count { more[word] |= bits } else { more.append(bits) }
    }
  }

  package func union(_ other: SlotSet) -> SlotSet {
    var result = self
    result.formUnion(other)
    return result
  }

  package mutating func subtract(_ other: SlotSet) {
    first &= ~other.first
    for word in 0..<Swift.min(more.count, other.more.count) { more[word] &= ~other.more[word] }
    trim()
  }

  package func subtracting(_ other: SlotSet) -> SlotSet {
    var result = self
    result.subtract(other)
    return result
  }

  package func intersection(_ other: SlotSet) -> SlotSet {
    var result = SlotSet()
    result.first = first & other.first
    result.more = zip(more, other.more).map { $0 & $1 }
    result.trim()
    return result
  }

  package func isDisjoint(with other: SlotSet) -> Bool {
    first & other.first == 0 && zip(more, other.more).allSatisfy { $0 & $1 == 0 }
  }

  package func isSubset(of other: SlotSet) -> Bool {
    first & ~other.first == 0 && more.count <= other.more.count
      && zip(more, other.more).allSatisfy { $0 & ~$1 == 0 }
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
    @usableFromInline let more: [UInt64]

    @inlinable init(_ set: SlotSet) {
      bits = set.first
      more = set.more
    }

    @inlinable package mutating func next() -> Int? {
      while bits == 0 {
        guard base >> 6 < more.count else { return nil }
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

// SPDX-License-Identifier: Apache-2.0

package import StrataModel

/// Sorts places by a word each, with few comparisons of two of them: the heads of index entries,
/// and keys.
///
/// Many words are sorted byte by byte, from the lowest, each time into 256 piles; bytes in which
/// all words agree are skipped, which for counters and for texts with a common beginning are most.
/// Equal words keep their order.
package enum WordOrder {
  /// A place and the word that it is sorted by.
  struct Item {
    var word: UInt64
    var place: UInt32
  }

  /// Below this many a comparing sort takes less than counting 256 piles.
  private static let pileItemCountMin = 256
  private static let insertionItemCountMax = 24

  /// The places of `words`, ascending by word. O(n) for each byte in which words differ.
  package static func sorted(_ words: [UInt64]) -> [UInt32] {
    var items: [Item] = []
    items.reserveCapacity(words.count)
    for (place, word) in words.enumerated() { items.append(Item(word: word, place: UInt32(place))) }
    var scratch = items
    items.withUnsafeMutableBufferPointer { items in
      scratch.withUnsafeMutableBufferPointer { sort(items, $0) }
    }
    return items.map(\.place)
  }

  /// Puts keys in order. O(n) for each byte in which they differ.
  package static func sort(_ keys: inout [ObjectKey]) {
    let places = sorted(keys.map(\.rawValue))
    keys = places.map { keys[Int($0)] }
  }

  /// Sorts `items`, which have each position once; equal words ascend by position.
  ///
  /// - Parameter scratch: the same number of items; their content is ignored.
  static func sort(
    _ items: UnsafeMutableBufferPointer<Item>, _ scratch: UnsafeMutableBufferPointer<Item>
  ) {
    guard items.count > 1 else { return }
    if items.count <= insertionItemCountMax { return insert(items) }
    var varying: UInt64 = 0
    var isAscending = true
    for index in 1..<items.count {
      varying |= items[index].word ^ items[0].word
      if items[index].word < items[index - 1].word { isAscending = false }
    }
    if isAscending { return }
    if items.count < pileItemCountMin {
      var items = items
      return items.sort { ($0.word, $0.place) < ($1.word, $1.place) }
    }
    pile(items, scratch, varying)
  }

  private static func insert(_ items: UnsafeMutableBufferPointer<Item>) {
    for index in 1..<items.count {
      let item = items[index]
      var place = index
      while place > 0, items[place - 1].word > item.word {
        items[place] = items[place - 1]
        place -= 1
      }
      items[place] = item
    }
  }

  private static func pile(
    _ items: UnsafeMutableBufferPointer<Item>, _ scratch: UnsafeMutableBufferPointer<Item>,
    _ varying: UInt64
  ) {
    guard let start = items.baseAddress, let other = scratch.baseAddress else { return }
    let count = items.count
    var (from, to) = (start, other)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { ends in
      for shift in stride(from: UInt64(0), to: 64, by: 8) where varying >> shift & 0xFF != 0 {
        ends.initialize(repeating: 0)
        for index in 0..<count { ends[byte(of: from[index], at: shift)] &+= 1 }
        var end = 0
        for byte in 0..<256 { (ends[byte], end) = (end, end &+ ends[byte]) }
        for index in 0..<count {
          let byte = byte(of: from[index], at: shift)
          to[ends[byte]] = from[index]
          ends[byte] &+= 1
        }
        swap(&from, &to)
      }
    }
    if from != start { start.update(from: from, count: count) }
  }

  @inline(__always)
  private static func byte(of item: Item, at shift: UInt64) -> Int {
    Int(truncatingIfNeeded: item.word &>> shift & 0xFF)
  }
}

// SPDX-License-Identifier: Apache-2.0

package import StrataModel

/// Sorts places by 64 bits each, with few comparisons of two of them: the heads of index entries,
/// and keys.
///
/// Many numbers are sorted byte by byte, from the lowest, each time into 256 piles; bytes in which
/// all numbers agree are skipped, which for counters and for texts with a common beginning are
/// most. Equal numbers keep their order.
package enum RadixSort {
  /// A place and the bits that it is sorted by, as a number.
  struct Item {
    var bits: UInt64
    var place: UInt32
  }

  /// Below this many a comparing sort takes less than counting 256 piles.
  private static let pileItemCountMin = 256
  private static let insertionItemCountMax = 24

  /// The places of `numbers`, ascending by number. O(n) for each byte in which numbers differ.
  package static func sorted(_ numbers: [UInt64]) -> [UInt32] {
    var items: [Item] = []
    items.reserveCapacity(numbers.count)
    for (place, bits) in numbers.enumerated() {
      items.append(Item(bits: bits, place: UInt32(place)))
    }
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

  /// Sorts `items`, which have each position once; equal bits ascend by position.
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
      varying |= items[index].bits ^ items[0].bits
      if items[index].bits < items[index - 1].bits { isAscending = false }
    }
    if isAscending { return }
    if items.count < pileItemCountMin {
      var items = items
      return items.sort { ($0.bits, $0.place) < ($1.bits, $1.place) }
    }
    pile(items, scratch, varying)
  }

  private static func insert(_ items: UnsafeMutableBufferPointer<Item>) {
    for index in 1..<items.count {
      let item = items[index]
      var place = index
      while place > 0, items[place - 1].bits > item.bits {
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
    Int(truncatingIfNeeded: item.bits &>> shift & 0xFF)
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// A range of an index with entries in the order of sort keys.
///
/// Leading parts with one value in all entries do not affect the order. The parts after them are
/// the sort keys in sequence, all in one direction. Entries with equal covered parts form a group.
/// A group is in the order of the remaining sort keys, then of the objects' keys. If all parts are
/// covered, the object keys at the end of the entries already have this order.
struct IndexOrder: Sendable {
  let access: IndexAccess
  let isReversed: Bool
  /// The number of sort keys that the order of the entries covers.
  let keyCount: Int
  /// The number of parts that determine the order, including the fixed parts.
  let partCount: Int

  /// The maximum number of fixed bytes. With more bytes, the next part might be cut.
  private static let fixedByteCountMax = 128

  /// Creates the order of the objects' keys; nil if the entries are not in that order.
  init?(unsorted access: IndexAccess) {
    guard access.isOneValue else { return nil }
    self.access = access
    isReversed = false
    keyCount = 0
    partCount = access.fixedPartCount
  }

  /// - Parameter sort: one or more sort keys.
  init?(_ access: IndexAccess, by sort: [ResolvedSortKey]) {
    guard let first = sort.first, access.fixed.count <= Self.fixedByteCountMax else { return nil }
    let index = access.index
    var count = 0
    for key in sort {
      let part = access.fixedPartCount + count
      guard part < index.partCount, key.slot == index.slot(ofPart: part),
        key.isDescending == first.isDescending
      else { break }
      // Objects with an absent slot are at another place in the index than in the order. The walk
      // can correct this only for the first part.
      if count > 0, key.readsAbsentAsValue { break }
      count += 1
    }
    if count == 0 { return nil }
    self.access = access
    isReversed = first.isDescending
    keyCount = count
    partCount = access.fixedPartCount + count
  }

  /// Returns the same order of the entries in another range, of the same width.
  func over(_ other: IndexAccess) -> IndexOrder { IndexOrder(self, over: other) }

  private init(_ order: IndexOrder, over access: IndexAccess) {
    self.access = access
    (isReversed, keyCount, partCount) = (order.isReversed, order.keyCount, order.partCount)
  }

  /// Whether the whole value determines the order.
  var isToTheEnd: Bool { partCount == access.index.partCount }

  /// Returns the bytes of an entry's value that determine the order; the whole value if it was cut
  /// within these bytes.
  func head(of value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if isToTheEnd { return value }
    var end = 0
    for part in access.index.parts.prefix(partCount) {
      let rest = UnsafeRawBufferPointer(rebasing: value[end...])
      guard let byteCount = KeyEncoder.byteCount(ofPartAt: rest, part.kind) else { return value }
      end += byteCount
    }
    return UnsafeRawBufferPointer(rebasing: value[..<end])
  }
}

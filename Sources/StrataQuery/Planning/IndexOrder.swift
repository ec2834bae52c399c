// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// A range of an index whose entries come in the order of sort keys.
///
/// Leading parts of which all entries have the same value do not matter; from there on the parts are the
/// sort keys, one after the other, all in one direction. Entries that the covered parts do not tell apart
/// are a group: among each other they have the order of the remaining sort keys, then of the objects'
/// keys, which an entry's last bytes are already if the covered parts are all.
struct IndexOrder: Sendable {
  let access: IndexAccess
  let isReversed: Bool
  /// How many sort keys the order of the entries is.
  let keyCount: Int
  /// How many parts of the value tell it, those that are fixed among them.
  let partCount: Int

  /// With more fixed bytes the next part might be cut away.
  private static let fixedByteCountMax = 128

  /// Entries in the order of the objects' keys; nil if they are not.
  init?(unsorted access: IndexAccess) {
    guard access.isOneValue else { return nil }
    self.access = access
    isReversed = false
    keyCount = 0
    partCount = access.fixedPartCount
  }

  /// - Parameter sort: one key or more.
  init?(_ access: IndexAccess, by sort: [ResolvedSortKey]) {
    guard let first = sort.first, access.fixed.count <= Self.fixedByteCountMax else { return nil }
    let index = access.index
    var count = 0
    for key in sort {
      let part = access.fixedPartCount + count
      guard part < index.partCount, key.slot == index.slot(ofPart: part),
        key.isDescending == first.isDescending
      else { break }
      // Objects whose slot is absent are elsewhere in the index than in the order. Of the first part,
      // that can be put right on the way.
      if count > 0, key.readsAbsentAsValue { break }
      count += 1
    }
    if count == 0 { return nil }
    self.access = access
    isReversed = first.isDescending
    keyCount = count
    partCount = access.fixedPartCount + count
  }

  /// Whether the whole value tells the order.
  var isToTheEnd: Bool { partCount == access.index.partCount }

  /// The part of an entry's value that tells the order; all of it if it was cut there.
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

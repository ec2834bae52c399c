// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

extension Transaction {
  /// Serials that no object has and that the catalog has not reserved, in the store's range
  /// (`StoreOrigin`).
  ///
  /// - Parameter floor: the first of them is not below it.
  /// - Throws: `StoreError.serialsExhausted` if the range has fewer; `.damaged`; `LMDBError`.
  func freeSerials(
    _ count: UInt64, from floor: UInt64 = 0, _ trees: Trees, _ schema: Schema
  ) throws -> Range<UInt64> {
    let free = try Catalog.firstFreeSerial(in: self)
    let range = StoreOrigin.range(of: free)
    guard range < ObjectKey.serialRangeCount else { throw Catalog.damagedSerial(free) }
    var first = free
    // Serials of another range were given out while the catalog could not be read.
    if StoreOrigin.range(of: floor) == range { first = max(first, floor) }
    let highest = try highestSerial(trees, schema)
    if StoreOrigin.range(of: highest) == range { first = max(first, highest + 1) }
    let (end, isBeyond) = first.addingReportingOverflow(count)
    guard !isBeyond, StoreOrigin.range(of: end) == range else {
      throw StoreError.serialsExhausted
    }
    return first..<end
  }

  /// The highest serial of any record. The catalog is above it unless the file was put together
  /// from damaged parts, or a former release has saved an object without a reservation.
  private func highestSerial(_ trees: Trees, _ schema: Schema) throws -> UInt64 {
    var highest: UInt64 = 0
    for entity in schema.entities {
      guard let tree = trees.records(of: entity.number) else { continue }
      highest = max(highest, try highestSerial(in: tree))
    }
    return highest
  }

  /// The highest serial of the records in a tree; 0 if the tree is empty.
  private func highestSerial(in tree: Tree) throws -> UInt64 {
    var cursor = try cursor(in: tree)
    return try cursor.last() ? RecordKey.number(of: cursor.key) ?? 0 : 0
  }
}

extension WriteTransaction {
  /// Raises the counter of the catalog above the objects that a plan writes, if it is not above
  /// them: their serials may be of a block that could not be reserved (I1 of `SerialAllocator`). It
  /// is raised by a block, so above the rest of that one. After that no other object gets these
  /// serials, even when the objects are deleted.
  ///
  /// A counter that is damaged stays as it is: new objects are refused when their save is planned.
  ///
  /// - Parameter end: the counter, or a former state of it; nothing is read if all are below.
  /// - Returns: the counter, or `end`.
  /// - Throws: `StoreError.storage`; `LMDBError`.
  @discardableResult
  func reserveSerials(of plan: SavePlan, reservedBelow end: UInt64 = 0) throws -> UInt64 {
    var end = end
    for place in plan.sections.indices {
      // By part: a copy of an item would count references. Keys ascend.
      let last = plan.sections[place].items.count - 1
      guard last >= 0 else { continue }
      let serial = plan.sections[place].items[last].key.serial
      guard serial >= end else { continue }
      do {
        end = try Catalog.firstFreeSerial(in: self)
      } catch StoreError.damaged {
        return end
      }
      // The counter does not leave its range.
      let range = StoreOrigin.range(of: end)
      let rangeEnd = UInt64(range + 1) << UInt64(ObjectKey.serialBitCount)
      guard serial >= end, serial + 1 < rangeEnd else { continue }
      end = min(serial + SerialAllocator.blockCount, rangeEnd - 1)
      try Catalog.setFirstFreeSerial(end, in: self)
    }
    return end
  }
}

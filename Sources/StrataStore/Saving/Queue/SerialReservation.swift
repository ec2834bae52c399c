// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

extension WriteTransaction {
  /// Serials that no object has and that the catalog has not reserved.
  ///
  /// - Parameter floor: the first of them is not below it.
  /// - Throws: `StoreError.storeFull`, `.damaged`; `LMDBError`.
  func freeSerials(
    _ count: UInt64, from floor: UInt64 = 0, in queue: CommitQueue
  ) throws -> Range<UInt64> {
    let free = try Catalog.firstFreeSerial(in: self)
    let first = max(free, floor, try highestSerial(in: queue) + 1)
    let (end, isBeyond) = first.addingReportingOverflow(count)
    guard !isBeyond, end <= ObjectKey.serialMax else { throw StoreError.storeFull }
    return first..<end
  }

  /// The highest serial of any record. The catalog is above it unless the file was put together
  /// from damaged parts.
  private func highestSerial(in queue: CommitQueue) throws -> UInt64 {
    var highest: UInt64 = 0
    for entity in queue.schema.entities {
      guard let tree = queue.trees.records(of: entity.number) else { continue }
      var cursor = try cursor(in: tree)
      if try cursor.last(), let serial = RecordKey.number(of: cursor.key) {
        highest = max(highest, serial)
      }
    }
    return highest
  }
}

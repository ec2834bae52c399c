// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The parts that a new store shares with the other stores of its group: the numbers of the
/// model and the layouts of records, so that a record means the same in each; and a range of
/// serials of its own, so that no two objects of the group have one key.
///
/// The file has the range only in the counter `#serial`, which begins in the range and does not
/// leave it. So a store that was made for a group is an ordinary store as well, and a store that
/// was made by itself has range 0.
package struct StoreOrigin: Sendable {
  let numbers: SchemaNumbers
  let version: UInt16
  let layouts: LayoutVersions
  let firstSerial: UInt64

  /// - Parameters:
  ///   - other: a store of the group.
  ///   - range: of the new store's serials, below `ObjectKey.serialRangeCount`.
  init(besides other: Schema, range: Int) {
    (numbers, version, layouts) = (other.numbers, other.version, other.layouts)
    firstSerial = max(1, UInt64(range) << ObjectKey.serialBitCount)
  }

  /// The range of a serial.
  static func range(of serial: UInt64) -> Int { Int(serial >> ObjectKey.serialBitCount) }
}

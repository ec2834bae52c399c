// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The values that the deleted objects of one transaction leave: the bytes of records, one after
/// the other. A batch may delete millions of objects, and an array for each would take several
/// times the memory of its bytes.
///
/// ## Invariants
/// - I1 After `finish`, the objects ascend.
struct HistoryTombstones {
  private var places: [(key: ObjectKey, start: Int, byteCount: Int)] = []
  private var bytes: [UInt8] = []
  private var isAscending = true

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  /// Adds the values that an object leaves. Each object is added once.
  mutating func add(_ record: UnsafeRawBufferPointer, of key: ObjectKey) {
    if let last = places.last, last.key > key { isAscending = false }
    places.append((key, bytes.count, record.count))
    bytes += record
  }

  mutating func finish() {
    if !isAscending { places.sort { $0.key < $1.key } }
    isAscending = true
  }

  /// The object at an index below `count`.
  func key(at index: Int) -> ObjectKey { places[index].key }

  /// The record of the values that the object at an index below `count` leaves.
  func record(at index: Int) -> ArraySlice<UInt8> {
    let place = places[index]
    return bytes[place.start..<(place.start + place.byteCount)]
  }
}

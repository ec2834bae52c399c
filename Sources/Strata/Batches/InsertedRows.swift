// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The numbers of the rows for which a batch has inserted objects, by the serials of the objects.
/// An error that names an object can then name its row.
///
/// ## Invariants
/// - I1 Parts ascend by serial, and rows ascend in each.
struct InsertedRows {
  private struct Part {
    let firstSerial: UInt64
    let count: Int
    let firstRow: Int
    /// The distances of the rows from the first; empty if they are consecutive.
    let distances: [UInt32]
  }

  private var parts: [Part] = []

  /// Notes the rows of one part, whose objects have consecutive serials.
  ///
  /// - Parameter rows: ascending.
  mutating func append(_ rows: [Int], from firstSerial: UInt64) {
    guard let first = rows.first, let last = rows.last else { return }
    let distances = last - first + 1 == rows.count ? [] : rows.map { UInt32($0 - first) }
    parts.append(
      Part(firstSerial: firstSerial, count: rows.count, firstRow: first, distances: distances))
  }

  /// The row of the object with a serial; nil if it was not inserted for a row.
  func row(ofSerial serial: UInt64) -> Int? {
    let next = parts.partitioningIndex { $0.firstSerial > serial }
    guard next > 0 else { return nil }
    let part = parts[next - 1]
    let index = Int(serial - part.firstSerial)
    guard index < part.count else { return nil }
    return part.firstRow + (part.distances.isEmpty ? index : Int(part.distances[index]))
  }
}

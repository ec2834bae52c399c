// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// A sort key as a slot of the fetched entity.
package struct ResolvedSortKey: Sendable, CustomStringConvertible {
  package let slot: Int
  package let isDescending: Bool
  package let kind: SlotKind
  private let name: String
  /// The value of an absent slot, encoded as a key.
  let absentKey: [UInt8]

  package init(_ key: SortKey, _ resolver: PathResolver) throws(QueryError) {
    let path = try resolver.path(PathReference([key.keyPath]))
    switch path.kind {
    case .toOne, .toMany, .attribute(.codable), .attribute(.data), .attribute(.url):
      throw path.isUnfit
    case .attribute: break
    }
    slot = path.slot
    kind = path.kind
    name = path.name
    isDescending = key.direction == .descending
    var bytes: [UInt8] = []
    KeyEncoder.append(value: path.absentValue, kind: path.kind, to: &bytes)
    absentKey = bytes
  }

  /// Whether an absent slot sorts among the values, instead of before all values.
  package var readsAbsentAsValue: Bool { absentKey != KeyEncoder.absentKey(kind) }

  /// Appends bytes that sort as the row's values of this key do.
  ///
  /// - Returns: whether the bytes may be cut. Equal bytes then do not mean equal values.
  package func append(_ row: Row, to bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: KeyEncoder.scratchByteCount, alignment: 8) { scratch in
      guard let start = scratch.baseAddress else { return true }
      let (byteCount, isCut) = write(row, to: start)
      bytes.append(contentsOf: scratch.prefix(byteCount))
      return isCut
    }
  }

  /// Writes bytes that sort as the row's values of this key do. The memory has room for
  /// `KeyEncoder.scratchByteCount` bytes.
  ///
  /// - Returns: the number of bytes, and whether they may be cut.
  func write(_ row: Row, to start: UnsafeMutableRawPointer) -> (byteCount: Int, isCut: Bool) {
    let slot = row.layout.slot(slot, at: row.start)
    let count: Int
    if slot.isPresent {
      count = KeyEncoder.write(slot: slot, to: start)
    } else {
      absentKey.withUnsafeBytes { start.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      count = absentKey.count
    }
    if isDescending {
      for offset in 0..<count {
        let byte = start.load(fromByteOffset: offset, as: UInt8.self)
        start.storeBytes(of: ~byte, toByteOffset: offset, as: UInt8.self)
      }
    }
    return (count, count >= KeyEncoder.valueByteCountMax)
  }

  /// Returns the order of two rows' values of this key, for rows with equal bytes. Negative if
  /// `left` comes first.
  package func exactOrder(_ left: Row, _ right: Row) -> Int {
    let one = String(left.layout.slot(slot, at: left.start))
    let two = String(right.layout.slot(slot, at: right.start))
    if let one, let two {
      let order = NormalForm.compare(one, two)
      return isDescending ? -order : order
    }
    var (oneKey, twoKey): ([UInt8], [UInt8]) = ([], [])
    _ = append(left, to: &oneKey)
    _ = append(right, to: &twoKey)
    return oneKey == twoKey ? 0 : oneKey.lexicographicallyPrecedes(twoKey) ? -1 : 1
  }

  package var description: String { isDescending ? "\(name) descending" : name }
}

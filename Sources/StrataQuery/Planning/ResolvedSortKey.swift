// SPDX-License-Identifier: Apache-2.0
package import Foundation
import StrataModel
import StrataRecord

/// A resolved sort key: a property of the fetched object, a property of a related object, or a
/// calculated value.
///
/// A property of the object itself is encoded from its slot, and an index may have its order. All
/// other keys are encoded from their values.
package struct ResolvedSortKey: Sendable, CustomStringConvertible {
  private let operand: any Operand
  /// The slot of a property of the object itself; nil for other keys.
  package let slot: Int?
  /// The slot of the object's own property that the key sorts by: `slot`, or the slot of an enum
  /// with an order of its own; nil for other keys.
  package let sortedSlot: Int?
  package let isDescending: Bool
  /// The kind of `slot`.
  let kind: SlotKind
  /// The value of an absent slot, encoded as a key.
  let absentKey: [UInt8]

  /// - Throws: `QueryError` if the key names no property, or has values without an order.
  package init(_ key: SortKey, _ resolver: PathResolver) throws(QueryError) {
    try self.init(
      key.operand.resolved(by: resolver.resolving(key.operand.extent)), order: key.order, resolver)
  }

  package init(
    _ operand: any Operand, order: SortOrder, _ resolver: PathResolver
  ) throws(QueryError) {
    self.operand = operand
    isDescending = order == .reverse
    guard let path = operand.property else {
      switch operand.kind {
      case .number, .text, .truth, .date, .uuid, nil: break
      case .url, .data, .object, .codable:
        throw .unfitProperty(
          entity: resolver.entity.description.name, property: operand.description)
      }
      (slot, kind, absentKey) = (nil, .toOne, [])
      sortedSlot = (operand as? Calculation)?.ranked.flatMap { $0.isDirect ? $0.slot : nil }
      return
    }
    switch path.kind {
    case .toOne, .toMany, .attribute(.codable), .attribute(.data), .attribute(.url):
      throw path.isUnfit
    case .attribute: break
    }
    kind = path.kind
    slot = path.isDirect ? path.slot : nil
    sortedSlot = slot
    var bytes: [UInt8] = []
    KeyEncoder.append(value: path.absentValue, kind: path.kind, to: &bytes)
    absentKey = bytes
  }

  /// Whether the key has the order of an enum, in which different cases may be side by side.
  package var isRanked: Bool { (operand as? Calculation)?.ranked != nil }

  /// Whether an absent slot sorts among the values, instead of before all values.
  var readsAbsentAsValue: Bool { absentKey != KeyEncoder.absentKey(kind) }

  package var description: String {
    isDescending ? "\(operand.description) descending" : operand.description
  }
}

// MARK: - From slots

extension ResolvedSortKey {
  /// Writes bytes that sort as the row's values of this key do. The memory has room for
  /// `KeyEncoder.scratchByteCount` bytes.
  ///
  /// - Precondition: the key has a slot.
  /// - Returns: the number of bytes, and whether they may be cut. Equal bytes that were cut do not
  ///   mean equal values.
  func write(_ row: Row, to start: UnsafeMutableRawPointer) -> (byteCount: Int, isCut: Bool) {
    let slot = row.layout.slot(slot!, at: row.start)
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
  ///
  /// - Precondition: the key has a slot.
  func exactOrder(_ left: Row, _ right: Row) -> Int {
    let (left, right) = (
      left.layout.slot(slot!, at: left.start), right.layout.slot(slot!, at: right.start)
    )
    if let one = String(left), let two = String(right) {
      let order = NormalForm.compare(one, two)
      return isDescending ? -order : order
    }
    func key(_ slot: _RecordSlot) -> [UInt8] {
      var bytes: [UInt8] = []
      if !slot.isPresent { return absentKey }
      KeyEncoder.append(slot: slot, to: &bytes)
      return bytes
    }
    let (one, two) = (key(left), key(right))
    if one == two { return 0 }
    return one.lexicographicallyPrecedes(two) != isDescending ? -1 : 1
  }
}

// MARK: - From values

extension ResolvedSortKey {
  /// Appends bytes that sort as the row's values of this key do, whatever follows them. Texts are
  /// not cut.
  ///
  /// - Throws: errors of the store.
  package func append(_ row: Row, _ reader: RowReader, to bytes: inout [UInt8]) throws {
    let start = bytes.count
    Self.append(try operand.value(of: row, reader), to: &bytes)
    if isDescending {
      for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }
  }

  /// Appends a value of any type. Nil comes before every value.
  ///
  /// The values of one key have one type, but numbers of a calculation may have several: they are
  /// compared as `Double`s first.
  private static func append(_ value: PropertyValue, to bytes: inout [UInt8]) {
    bytes.append(value == .null ? 0 : 1)
    switch value {
    case .null, .data, .codable, .object, .url: break
    case .string(let text): append(text: text, to: &bytes)
    case .bool: KeyEncoder.append(value: value, kind: .attribute(.bool), to: &bytes)
    case .date: KeyEncoder.append(value: value, kind: .attribute(.date), to: &bytes)
    case .uuid: KeyEncoder.append(value: value, kind: .attribute(.uuid), to: &bytes)
    case .double: KeyEncoder.append(value: value, kind: .attribute(.double), to: &bytes)
    case .int(let number): append(Double(number), value, .int64, to: &bytes)
    case .uint(let number): append(Double(number), value, .uint64, to: &bytes)
    case .decimal(let number):
      append((number as NSDecimalNumber).doubleValue, value, .decimal, to: &bytes)
    }
  }

  private static func append(
    _ rounded: Double, _ value: PropertyValue, _ type: AttributeType, to bytes: inout [UInt8]
  ) {
    KeyEncoder.append(value: .double(rounded), kind: .attribute(.double), to: &bytes)
    KeyEncoder.append(value: value, kind: .attribute(type), to: &bytes)
  }

  /// Appends a whole text in its normal form.
  private static func append(text: String, to bytes: inout [UInt8]) {
    for byte in NormalForm.bytes(of: text, byteCountMin: .max) {
      if byte <= 1 { bytes.append(1) }
      bytes.append(byte)
    }
    bytes.append(0)
  }
}

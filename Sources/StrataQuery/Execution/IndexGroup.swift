// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The objects with equal value bytes in an index, while they are collected. Their order in the
/// result differs from the order of their entries.
struct IndexGroup {
  private(set) var keys: [ObjectKey] = []
  /// Whether all objects certainly satisfy the terms that the index answers.
  private(set) var isCertain = true
  private var value: [UInt8] = []

  /// The most entries with one value that a reversed walk collects. A value with more entries is
  /// walked forwards.
  static let reversedCountMax = 64

  var isEmpty: Bool { keys.isEmpty }

  /// Whether the values may differ beyond the bytes that the index contains.
  var isCut: Bool { value.count >= KeyEncoder.valueByteCountMax }

  func has(_ other: UnsafeRawBufferPointer) -> Bool { value.elementsEqual(other) }

  /// Adds an object with the group's value. The first object determines the value.
  mutating func append(_ key: ObjectKey, _ value: UnsafeRawBufferPointer, isCertain: Bool) {
    if keys.isEmpty {
      self.isCertain = true
      self.value.removeAll(keepingCapacity: true)
      self.value.append(contentsOf: value)
    }
    if !isCertain { self.isCertain = false }
    keys.append(key)
  }

  mutating func removeAll() { keys.removeAll(keepingCapacity: true) }
}

// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The objects whose entries in an index have the same value bytes, while they are gathered: their
/// order among each other differs from the order of the entries.
struct IndexGroup {
  private(set) var keys: [ObjectKey] = []
  /// Whether all of them satisfy what their index answers for certain.
  private(set) var isCertain = true
  private var value: [UInt8] = []

  var isEmpty: Bool { keys.isEmpty }

  /// Whether the values may differ beyond the bytes that the index has of them.
  var isCut: Bool { value.count >= KeyEncoder.valueByteCountMax }

  func has(_ other: UnsafeRawBufferPointer) -> Bool { value.elementsEqual(other) }

  /// Adds an object with the group's value; the first one decides which that is.
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

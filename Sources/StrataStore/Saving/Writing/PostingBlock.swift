// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import StrataRecord

/// One block of postings under construction: its future key, and the bytes after the key.
///
/// ```
///  key    [ number │ value │ first object ]
///  value  [ to the second │ to the third │ … ]
/// ```
///
/// Its memory is reused for block after block, so that a save of a hundred thousand entries
/// allocates nothing for them.
///
/// ## Lifetime
/// `key` and `value` are valid until the next change.
struct PostingBlock: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  /// The bytes of number and value.
  private var listByteCount = EntryKey.prefixByteCount
  private var valueByteCount = 0
  /// The last object.
  private var last: UInt64 = 0

  /// Where the block's value begins in memory: behind the longest key.
  private static let valueOffset =
    EntryKey.prefixByteCount + KeyEncoder.valueByteCountMax + KeyEncoder.objectKeyByteCount

  /// Blocks of the index with this number.
  init(_ number: PropertyNumber) {
    memory = .allocate(byteCount: Self.valueOffset + Postings.byteCountMax, alignment: 8)
    memory.storeBytes(of: number.rawValue.bigEndian, as: UInt16.self)
  }

  deinit { memory.deallocate() }

  // MARK: - The key

  /// Number, value and first object.
  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: listByteCount + KeyEncoder.objectKeyByteCount)
  }

  /// Number and value.
  var list: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: listByteCount)
  }

  /// Whether the key of a block in the tree has the same number and value.
  func isOfSameList(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count == listByteCount + KeyEncoder.objectKeyByteCount
      && Postings.list(ofKey: key).isEqual(to: list)
  }

  /// Whether the objects here have this value.
  func isOf(_ value: UnsafeRawBufferPointer) -> Bool {
    UnsafeRawBufferPointer(rebasing: list[EntryKey.prefixByteCount...]).isEqual(to: value)
  }

  /// Goes on to blocks of another value.
  mutating func setValue(_ value: UnsafeRawBufferPointer) {
    listByteCount = EntryKey.prefixByteCount + value.count
    UnsafeMutableRawBufferPointer(
      start: memory + EntryKey.prefixByteCount, count: value.count
    ).copyMemory(from: value)
  }

  // MARK: - Objects

  /// The bytes after the key.
  var value: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + Self.valueOffset, count: valueByteCount)
  }

  /// Begins a block of the present value, with one object.
  mutating func begin(_ object: UInt64) {
    memory.storeBytes(of: object.bigEndian, toByteOffset: listByteCount, as: UInt64.self)
    last = object
    valueByteCount = 0
  }

  /// Adds an object above the last.
  /// - Parameter byteCount: how many bytes the value may have.
  /// - Returns: false if there is no room for it.
  mutating func append(_ object: UInt64, upTo byteCount: Int = Postings.byteCountMax) -> Bool {
    let delta = object - last
    guard valueByteCount + Postings.byteCount(of: delta) <= byteCount else { return false }
    valueByteCount += Postings.write(delta, to: memory + Self.valueOffset + valueByteCount)
    last = object
    return true
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A bounded cache of objects that were found to exist: a thousand new cities link to the same
/// country. It evicts entries when it is full.
struct KeyMemo {
  private static let countLog2Max = 10
  private let countLog2: Int
  private var keys: [UInt64] = []

  /// - Parameter count: how many objects a save has; for a small one little is cleared.
  init(expecting count: Int) {
    countLog2 = min(Int.bitWidth - count.leadingZeroBitCount + 2, Self.countLog2Max)
  }

  func contains(_ key: ObjectKey) -> Bool {
    !keys.isEmpty && keys[place(of: key)] == key.rawValue
  }

  mutating func insert(_ key: ObjectKey) {
    if keys.isEmpty { keys = [UInt64](repeating: 0, count: 1 << countLog2) }
    keys[place(of: key)] = key.rawValue
  }

  private func place(of key: ObjectKey) -> Int {
    Int(truncatingIfNeeded: (key.rawValue &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - countLog2))
  }
}

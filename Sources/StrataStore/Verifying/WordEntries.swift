// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataModel

/// Entries of an index of words, to be compared with others in any order: how many they are, and
/// the sum of their digests.
struct WordEntries: Equatable {
  private(set) var count = 0
  private var digest: UInt64 = 0

  /// Adds the entry of an object.
  mutating func add(_ value: UnsafeRawBufferPointer, _ key: ObjectKey) {
    count += 1
    digest &+= strata_entry_digest(value.baseAddress, value.count, nil, 0, key.rawValue)
  }
}

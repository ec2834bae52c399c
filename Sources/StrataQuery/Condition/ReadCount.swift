// SPDX-License-Identifier: Apache-2.0

/// How much a fetch has read, store and pending changes alike.
struct ReadCount {
  /// Entries of indexes, and links.
  var entries = 0
  /// Records that were looked at, those of other entities among them.
  var records = 0

  static func + (left: ReadCount, right: ReadCount) -> ReadCount {
    ReadCount(entries: left.entries + right.entries, records: left.records + right.records)
  }

  static func - (left: ReadCount, right: ReadCount) -> ReadCount {
    ReadCount(entries: left.entries - right.entries, records: left.records - right.records)
  }
}

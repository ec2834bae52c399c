// SPDX-License-Identifier: Apache-2.0

/// The numbers of entries and records that a fetch has read, saved and pending.
struct ReadCount {
  /// Index entries and links.
  var entries = 0
  /// Records that were read, of all entities.
  var records = 0

  static func + (left: ReadCount, right: ReadCount) -> ReadCount {
    ReadCount(entries: left.entries + right.entries, records: left.records + right.records)
  }

  static func - (left: ReadCount, right: ReadCount) -> ReadCount {
    ReadCount(entries: left.entries - right.entries, records: left.records - right.records)
  }
}

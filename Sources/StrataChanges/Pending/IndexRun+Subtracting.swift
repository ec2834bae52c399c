// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension IndexRun {
  /// The entries that `other` does not have. O(entries of both).
  package func subtracting(_ other: IndexRun) -> IndexRun {
    defer { withExtendedLifetime((self, other)) {} }
    var kept: [Entry] = []
    var byteCount = 0
    var next = 0
    for entry in entries {
      let bytes = bytes(of: entry)
      var order = -1
      while next < other.entries.count {
        order = bytes.order(to: other.bytes(at: next))
        if order <= 0 { break }
        next += 1
      }
      if order == 0, next < other.entries.count { continue }
      kept.append(entry)
      byteCount += bytes.count
    }
    return kept.count == entries.count ? self : IndexRun(kept, blocks, byteCount: byteCount)
  }
}

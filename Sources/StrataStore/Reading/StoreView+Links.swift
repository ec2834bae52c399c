// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
package import StrataModel
import StrataPrimitives
import StrataRecord

// Links, and the objects that lead to an object.

extension StoreView {
  package func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    guard let tree = trees.entries(of: place.relationship) else { return }
    try EntryKey.prefix(place).withUnsafeBytes { prefix in
      try reader.withCursor(on: tree) { cursor in
        var isThere = try cursor.seek(atOrAbove: prefix)
        while isThere {
          let (key, value) = (cursor.key, cursor.value)
          guard UnsafeRawBufferPointer(rebasing: key.prefix(prefix.count)).isEqual(to: prefix)
          else { return }
          guard key.count == EntryKey.prefixByteCount + EntryKey.linkByteCount,
            let target = KeyEncoder.objectKey(ofEntry: key), let position = Self.position(in: value)
          else { throw damaged(tree, "a link has \(key.count) and \(value.count) bytes") }
          if try body(target, position) == .stop { return }
          isThere = try cursor.next()
        }
      }
    }
  }

  package func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    guard let tree = trees.entries(of: place.relationship) else { return nil }
    return try EntryKey.withLink(place.relationship, place.owner, target) { key in
      guard let value = try reader.get(key, in: tree) else { return nil }
      guard let position = Self.position(in: value) else {
        throw damaged(tree, "a link has \(key.count) and \(value.count) bytes")
      }
      return position
    }
  }

  /// The position in a link's value; nil if no link has such a value.
  private static func position(in value: UnsafeRawBufferPointer) -> UInt64? {
    if value.isEmpty { return 0 }
    return value.count == 8 ? UInt64(littleEndian: value.loadUnaligned(as: UInt64.self)) : nil
  }

  /// The objects whose to-one slot leads to `key`, by the slot's index. Ascending.
  func referrers(to key: ObjectKey, index: PropertyNumber) throws -> [ObjectKey] {
    var found: [ObjectKey] = []
    try scanIndex(index, in: KeyRange(leadingTo: key), isReversed: false) { _, owner in
      found.append(owner)
      return .more
    }
    return found
  }

  /// The ends of the links at `place`. Ascending.
  func targets(at place: LinkPlace) throws -> [ObjectKey] {
    var targets: [ObjectKey] = []
    try scanLinks(at: place) { target, _ in
      targets.append(target)
      return .more
    }
    return targets
  }

  /// Whether there are neither index entries nor links under `number`.
  func hasNoEntries(of number: PropertyNumber) throws -> Bool {
    var isEmpty = true
    try scanIndex(number, in: KeyRange(), isReversed: false) { _, _ in
      isEmpty = false
      return .stop
    }
    return isEmpty
  }
}

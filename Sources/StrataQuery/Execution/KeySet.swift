// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives

/// The keys of the objects that a source has found.
///
/// ## Invariants
/// - I1 `keys` ascend, and no two are equal.
struct KeySet {
  private(set) var keys: [ObjectKey]
  /// The objects that may fail the source's condition and must be checked; nil if all must be.
  var doubtful: Set<ObjectKey>?
}

extension KeySet {
  /// - Parameters:
  ///   - found: the keys, in any order and possibly repeated.
  ///   - doubtful: the keys that must be checked; nil if all must be.
  init(_ found: [ObjectKey], doubtful: Set<ObjectKey>? = []) {
    var ascending = found
    if !zip(found, found.dropFirst()).allSatisfy(<) {
      RadixSort.sort(&ascending)
      var last: ObjectKey?
      ascending.removeAll { key in
        defer { last = key }
        return key == last
      }
    }
    keys = ascending
    self.doubtful = doubtful
  }

  func isDoubtful(_ key: ObjectKey) -> Bool { doubtful?.contains(key) ?? true }

  var doubtfulCount: Int { doubtful?.count ?? keys.count }

  /// Returns the objects that are in both sets. O(the smaller · log the larger), or O(both) if that
  /// is less.
  func intersection(_ other: KeySet) -> KeySet {
    if other.keys.count < keys.count { return other.intersection(self) }
    var common: [ObjectKey] = []
    if keys.count * 16 < other.keys.count {
      common = keys.filter(other.contains)
    } else {
      var next = 0
      for key in keys {
        while next < other.keys.count, other.keys[next] < key { next += 1 }
        if next < other.keys.count, other.keys[next] == key { common.append(key) }
      }
    }
    return KeySet(keys: common, doubtful: Self.joined(doubtful, other.doubtful))
  }

  /// Returns the keys that must be checked in either set; nil if all must be.
  static func joined(_ one: Set<ObjectKey>?, _ two: Set<ObjectKey>?) -> Set<ObjectKey>? {
    guard let one, let two else { return nil }
    return two.isEmpty ? one : two.union(one)
  }

  mutating func removeAll(where isRemoved: (ObjectKey) -> Bool) { keys.removeAll(where: isRemoved) }

  private func contains(_ key: ObjectKey) -> Bool {
    let place = keys.partitioningIndex { $0 >= key }
    return place < keys.count && keys[place] == key
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A few values by key, in the order of the keys, found by binary search.
///
/// It is for what a process makes when it opens a store. The first dictionary with keys of a type
/// makes the runtime search all conformances of the program and its libraries for the type's
/// `Hashable`: 0.38 million instructions (Swift 6.3.1, Linux), an eighth of all other work of the
/// first opening. Docs/Decisions/048 has the rule.
///
/// The type is not generic over `Comparable`, only its methods are: otherwise the runtime would
/// search for that conformance.
@usableFromInline
package struct OrderedTable<Key, Value> {
  /// Ascending, each key once.
  @usableFromInline var entries: [(key: Key, value: Value)] = []

  @inlinable package init() {}
}

extension OrderedTable where Key: Comparable {
  /// The value under `key`; nil if there is none. O(log n).
  @inlinable
  package subscript(key: Key) -> Value? {
    let place = place(of: key)
    return place < entries.count && entries[place].key == key ? entries[place].value : nil
  }

  /// Sets the value under `key`, in place of one that is there. O(n).
  @inlinable
  package mutating func set(_ value: Value, for key: Key) {
    let place = place(of: key)
    if place < entries.count, entries[place].key == key {
      entries[place].value = value
    } else {
      entries.insert((key, value), at: place)
    }
  }

  /// The place of the first entry that does not come before `key`.
  @inlinable
  func place(of key: Key) -> Int { entries.partitioningIndex { $0.key >= key } }
}

extension OrderedTable: Sendable where Key: Sendable, Value: Sendable {}

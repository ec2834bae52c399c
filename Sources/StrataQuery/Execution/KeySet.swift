// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

/// The objects that a source has found.
///
/// ## Invariants
/// - I1 `keys` ascend, and no two are equal.
struct KeySet {
  /// Of which objects it is not certain that they satisfy what the source stands for.
  enum Doubt {
    case none
    case some(Set<ObjectKey>)
    case all
  }

  private(set) var keys: [ObjectKey]
  var doubt: Doubt

  private init(keys: [ObjectKey], doubt: Doubt) {
    self.keys = keys
    self.doubt = doubt
  }

  /// - Parameters:
  ///   - found: in any order, perhaps several times.
  ///   - doubtful: those of them which are not certain.
  init(_ found: [ObjectKey], doubtful: Set<ObjectKey> = []) {
    var ascending = found
    if !ascending.isStrictlyAscending {
      WordOrder.sort(&ascending)
      ascending.removeRepeated()
    }
    keys = ascending
    doubt = doubtful.isEmpty ? .none : .some(doubtful)
  }

  func isDoubtful(_ key: ObjectKey) -> Bool {
    switch doubt {
    case .none: false
    case .some(let keys): keys.contains(key)
    case .all: true
    }
  }

  var doubtfulCount: Int {
    switch doubt {
    case .none: 0
    case .some(let doubtful): doubtful.count
    case .all: keys.count
    }
  }

  /// The objects that are in both. O(the smaller · log the larger), or O(both) if that is less.
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
    return KeySet(keys: common, doubt: doubt.joined(other.doubt))
  }

  mutating func removeAll(where isRemoved: (ObjectKey) -> Bool) { keys.removeAll(where: isRemoved) }

  private func contains(_ key: ObjectKey) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key
  }
}

extension KeySet.Doubt {
  /// What is doubtful in either.
  func joined(_ other: KeySet.Doubt) -> KeySet.Doubt {
    switch (self, other) {
    case (.all, _), (_, .all): .all
    case (.none, let doubt), (let doubt, .none): doubt
    case (.some(let one), .some(let two)): .some(one.union(two))
    }
  }
}

extension [ObjectKey] {
  /// Whether they are in order and no two are equal.
  fileprivate var isStrictlyAscending: Bool {
    var last: UInt64 = 0
    for key in self {
      // No object has the key 0.
      if key.rawValue <= last { return false }
      last = key.rawValue
    }
    return true
  }

  /// Of equal keys that follow each other, leaves one.
  fileprivate mutating func removeRepeated() {
    var count = 0
    for index in indices where count == 0 || self[count - 1] != self[index] {
      self[count] = self[index]
      count += 1
    }
    removeLast(self.count - count)
  }
}

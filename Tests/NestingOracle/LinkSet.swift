// SPDX-License-Identifier: Apache-2.0

/// Links of the relationships of many to many, from one object to another.
///
/// An owner is a number as `owner(of:ordered:)` gives it: the ordered relationship and the other
/// one are two owners of one object.
package struct LinkSet: Hashable, Sendable {
  private var bits: UInt128 = 0

  private static func bit(_ owner: Int, _ target: Int) -> UInt128 {
    1 << UInt128(owner * ContextOracle.keyCount + target)
  }

  static func owner(of key: Int, ordered: Bool) -> Int {
    ordered ? key + ContextOracle.keyCount : key
  }
  static let owners = 0..<(2 * ContextOracle.keyCount)

  package var isEmpty: Bool { bits == 0 }

  package subscript(owner: Int, target: Int) -> Bool {
    get { bits & Self.bit(owner, target) != 0 }
    set {
      if newValue { bits |= Self.bit(owner, target) } else { bits &= ~Self.bit(owner, target) }
    }
  }

  mutating func formUnion(_ other: LinkSet) { bits |= other.bits }
  mutating func subtract(_ other: LinkSet) { bits &= ~other.bits }

  func intersection(_ other: LinkSet) -> LinkSet {
    var result = self
    result.bits &= other.bits
    return result
  }

  func subtracting(_ other: LinkSet) -> LinkSet {
    var result = self
    result.subtract(other)
    return result
  }

  /// Without the links that lead from or to an object.
  mutating func remove(_ key: Int) {
    for owner in Self.owners {
      if owner % ContextOracle.keyCount == key {
        for target in ContextOracle.keys { self[owner, target] = false }
      } else {
        self[owner, key] = false
      }
    }
  }

  /// Those that lead from or to an object.
  func touching(_ key: Int) -> LinkSet {
    var without = self
    without.remove(key)
    return subtracting(without)
  }

  func touches(_ key: Int) -> Bool {
    var without = self
    without.remove(key)
    return without != self
  }
}

/// A context's unsaved changes of the many-to-many relationship.
package struct LinkEdits: Hashable, Sendable {
  var added = LinkSet()
  var removed = LinkSet()

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// The objects that links lead from or to.
  var ends: [Int] {
    ContextOracle.keys.filter { added.touches($0) || removed.touches($0) }
  }

  /// These changes on top of the state beneath.
  func over(_ below: LinkSet) -> LinkSet {
    var result = below.subtracting(removed)
    result.formUnion(added)
    return result
  }

  mutating func set(_ owner: Int, _ target: Int, _ isLinked: Bool) {
    added[owner, target] = isLinked
    removed[owner, target] = !isLinked
  }

  /// With later changes on top.
  func under(_ later: LinkEdits) -> LinkEdits {
    var result = self
    result.added.subtract(later.removed)
    result.removed.subtract(later.added)
    result.added.formUnion(later.added)
    result.removed.formUnion(later.removed)
    return result
  }

  mutating func remove(_ key: Int) {
    added.remove(key)
    removed.remove(key)
  }

  /// Without a word on one link.
  mutating func forget(_ owner: Int, _ target: Int) {
    added[owner, target] = false
    removed[owner, target] = false
  }

  /// Without a link that is so beneath anyway: one that came and went is no change.
  mutating func drop(_ owner: Int, _ target: Int, beneath below: LinkSet) {
    if below[owner, target] {
      added[owner, target] = false
    } else {
      removed[owner, target] = false
    }
  }

  /// The links that these changes speak of.
  var touched: LinkSet {
    var touched = added
    touched.formUnion(removed)
    return touched
  }

  /// Without the `links` that are so beneath anyway. A member that is put back into a list is
  /// put where it is: that is a change.
  mutating func drop(_ links: LinkSet, beneath below: LinkSet) {
    for owner in LinkSet.owners {
      for target in ContextOracle.keys where links[owner, target] {
        if !below[owner, target] {
          removed[owner, target] = false
        } else if owner < ContextOracle.keyCount {
          added[owner, target] = false
        }
      }
    }
  }

  /// Without links that equal the state beneath.
  mutating func drop(beneath below: LinkSet) {
    added.subtract(below)
    removed = removed.intersection(below)
  }
}

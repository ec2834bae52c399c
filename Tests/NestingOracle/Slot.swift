// SPDX-License-Identifier: Apache-2.0

/// A property of a `Node`, as the oracle knows it.
package enum Slot: Int, CaseIterable, Sendable {
  /// Two attributes, of which `b` has a form that is derived from it.
  case a, b
  /// The derived form of `b`, and the number of objects that this one owns.
  case derived, memberCount
  /// An attribute that is unique, of few values.
  case code
  /// A to-one relationship; its inverse is to-many.
  case owner
  /// A to-one relationship; its inverse is to-many, and cascades.
  case whole
  /// The two ends of a one-to-one relationship.
  case partner, partnerOf

  /// The relationships that a record holds.
  package static let links: [Slot] = [.owner, .whole, .partner, .partnerOf]
  package static let pairs: [Slot] = [.partner, .partnerOf]

  package static let all = Array(allCases)
  static let stored = allCases.filter { !$0.isDerived }

  package var isDerived: Bool { self == .derived || self == .memberCount }
  package var isLink: Bool { self == .owner || self == .whole || isPair }
  package var isPair: Bool { self == .partner || self == .partnerOf }
  /// The other end of a one-to-one relationship.
  package var inverse: Slot { self == .partner ? .partnerOf : .partner }

  package var name: String { "\(self)" }
}

/// A set of slots.
package struct Slots: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  package init(_ slot: Slot) { rawValue = 1 << UInt16(slot.rawValue) }

  static let everything = Slots(rawValue: 0x1ff)

  package func contains(_ slot: Slot) -> Bool { rawValue & (1 << UInt16(slot.rawValue)) != 0 }
}

/// The values of one object's properties. Numbers stand for the values of attributes; a link is 0
/// for nil, or one more than the number of its target's key.
package struct Values: Sendable, Hashable {
  private var numbers: [Int]

  /// A new object's values. It has no derived values before it is saved.
  package static let new: Values = {
    var values = Values(numbers: Array(repeating: 0, count: Slot.allCases.count))
    values[.derived] = none
    values[.memberCount] = none
    return values
  }()

  /// Of a derived property: it was never worked out, and reads as 0.
  package static let none = -1

  private init(numbers: [Int]) { self.numbers = numbers }

  package subscript(slot: Slot) -> Int {
    get { numbers[slot.rawValue] }
    set { numbers[slot.rawValue] = newValue }
  }

  /// The key of the object that a link leads to.
  package func target(_ slot: Slot) -> Int? { self[slot] == 0 ? nil : self[slot] - 1 }

  /// With the form that is derived from its own text.
  package var derived: Values {
    var values = self
    values[.derived] = values[.b]
    values[.memberCount] = max(0, values[.memberCount])
    return values
  }

  /// With the derived values of others.
  func deriving(as other: Values) -> Values {
    var values = self
    for slot in Slot.allCases where slot.isDerived { values[slot] = other[slot] }
    return values
  }

  /// Whether both are equal, derived values left out.
  package func isSame(as other: Values) -> Bool {
    if numbers == other.numbers { return true }
    return Slot.stored.allSatisfy { self[$0] == other[$0] }
  }
}

/// An edit's properties, with their values.
package struct Delta: Sendable, Hashable {
  package private(set) var slots: Slots
  private var values: Values

  static let none = Delta(slots: [], values: .new)
  /// A new object's: everything.
  static let all = Delta(slots: .everything, values: .new)

  /// Everything, with these values.
  init(_ values: Values) { self.init(slots: .everything, values: values) }

  private init(slots: Slots, values: Values) {
    self.slots = slots
    self.values = values
  }

  mutating func set(_ slot: Slot, _ value: Int) {
    slots.insert(Slots(slot))
    values[slot] = value
  }

  /// Without derived properties, which are no edits.
  var withoutDerived: Delta {
    var result = self
    for slot in Slot.all where slot.isDerived { result.slots.remove(Slots(slot)) }
    return result
  }

  /// With the properties of a later delta on top.
  func under(_ later: Delta) -> Delta {
    var result = self
    for slot in Slot.all where later.slots.contains(slot) {
      result.set(slot, later.values[slot])
    }
    return result
  }

  /// These values with the delta's in their places.
  func over(_ below: Values) -> Values {
    var result = below
    for slot in Slot.all where slots.contains(slot) { result[slot] = values[slot] }
    return result
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The slots of an earlier layout that go on under other numbers. Two cases have one: properties of
/// several entities become one property of their new superentity; a superentity's property becomes
/// one of each of several subentities.
package struct SlotRenumbering: Sendable, Hashable {
  /// By former number; nil within for a slot that does not go on, although the later layout has a
  /// slot of its number.
  package private(set) var changed: [PropertyNumber: PropertyNumber?] = [:]

  package init() {}

  package var isEmpty: Bool { changed.isEmpty }

  /// The later number of a slot; nil if the slot does not go on.
  package func number(of former: PropertyNumber) -> PropertyNumber? {
    if let later = changed[former] { return later }
    return former
  }

  /// Notes the later number of a slot.
  ///
  /// - Parameters:
  ///   - later: nil if the slot does not go on.
  ///   - isTaken: whether the later layout has a slot of the former number.
  package mutating func note(
    _ former: PropertyNumber, _ later: PropertyNumber?, isTaken: Bool
  ) {
    guard later != former, later != nil || isTaken else { return }
    changed.updateValue(later, forKey: former)
  }
}

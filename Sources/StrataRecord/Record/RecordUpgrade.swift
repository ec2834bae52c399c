// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

/// Makes records of an entity's present layout from the records of an earlier one, which stay in
/// the store as they are until their objects are next saved.
///
/// A slot continues the earlier slot of the same number, or of another one if properties have moved
/// between entities (`SlotRenumbering`). Its value may have a wider type now. A slot that the
/// earlier layout does not have gets the template's value, and so does a slot without a value that
/// the template has one for: an attribute that was optional and is no longer.
///
/// ## Isolation
/// Sendable: constant.
package final class RecordUpgrade: Sendable {
  package let earlier: RecordLayout
  package let present: RecordLayout
  /// A record of the present layout.
  package let template: Record
  /// The earlier slots that go on under other numbers.
  package let renumbering: SlotRenumbering

  private struct Continuation {
    let earlier: Int
    let present: Int
  }

  private let continuations: [Continuation]

  /// - Precondition: `isPossible(from:to:)`.
  package init(
    from earlier: RecordLayout, to present: RecordLayout, template: Record,
    _ renumbering: SlotRenumbering = SlotRenumbering()
  ) {
    require(
      Self.isPossible(from: earlier, to: present, renumbering),
      "the values of an earlier layout's slots fit the slots that continue them")
    self.earlier = earlier
    self.present = present
    self.template = template
    self.renumbering = renumbering
    continuations = Self.continuations(from: earlier, to: present, renumbering)
  }

  /// Whether each slot that continues an earlier one can hold all of its values.
  package static func isPossible(
    from earlier: RecordLayout, to present: RecordLayout,
    _ renumbering: SlotRenumbering = SlotRenumbering()
  ) -> Bool {
    continuations(from: earlier, to: present, renumbering).allSatisfy {
      present.places[$0.present].code.widens(earlier.places[$0.earlier].code)
    }
  }

  private static func continuations(
    from earlier: RecordLayout, to present: RecordLayout, _ renumbering: SlotRenumbering
  ) -> [Continuation] {
    let numbers = earlier.slots.map { renumbering.number(of: $0.number) }
    return present.slots.indices.compactMap { slot in
      // A value that is not stored any more is gone, and a transient one was never stored.
      guard present.places[slot].isPlaced, !present.slots[slot].isTransient,
        let former = earlier.slots.indices.first(where: {
          !earlier.slots[$0].isTransient && numbers[$0] == present.slots[slot].number
        })
      else { return nil }
      return Continuation(earlier: former, present: slot)
    }
  }

  /// The number that an earlier slot has in the present layout; nil if its values are gone.
  package func presentNumber(of earlier: PropertyNumber) -> PropertyNumber? {
    continuations.first { self.earlier.slots[$0.earlier].number == earlier }
      .map { present.slots[$0.present].number }
  }

  /// The renumbering of this upgrade and a later one in one step.
  package func renumbering(before later: RecordUpgrade) -> SlotRenumbering {
    let taken = later.present.storedNumbers
    var whole = SlotRenumbering()
    for slot in earlier.slots {
      let between = presentNumber(of: slot.number)
      whole.note(
        slot.number, between.flatMap(later.presentNumber), isTaken: taken.contains(slot.number))
    }
    return whole
  }

  /// The present record of an earlier one.
  ///
  /// - Throws: any case of `RecordError` but `checksumMismatch`.
  package func record(
    from bytes: UnsafeRawBufferPointer, into arena: inout RecordArena
  ) throws(RecordError) -> Record {
    try earlier.validate(bytes)
    guard let start = bytes.baseAddress else { return template }
    return present.edited(template, into: &arena) { draft in
      for continuation in continuations {
        draft.take(earlier.slot(continuation.earlier, at: start), at: continuation.present)
      }
    }
  }
}

extension Draft {
  /// Gives a slot the value of another layout's slot, which it can hold. Without a value it stays
  /// as it is.
  fileprivate func take(_ value: _RecordSlot, at slot: Int) {
    guard let bytes = value.rawBytes else { return }
    let code = place(slot).code
    if code != value.code {
      if let wider = value.widened(to: code) { setValue(wider, at: slot) }
    } else if code.isVariable {
      _ = store(bytes: bytes, at: slot, as: code)
    } else {
      _ = store(fixed: bytes, at: slot, as: code)
    }
  }
}

extension _RecordSlot {
  fileprivate func widened(to code: SlotCode) -> PropertyValue? {
    if let integer = wideInteger {
      if code == .double || code == .float { return .double(Double(integer)) }
      return Int64(exactly: integer).map { .int($0) } ?? UInt64(exactly: integer).map { .uint($0) }
    }
    return Float(self).map { .double(Double($0)) }
  }
}

extension SlotCode {
  /// Whether a slot of this code can hold every value of a slot of `other`.
  package func widens(_ other: SlotCode) -> Bool {
    if self == other { return true }
    guard let type = AttributeType(rawValue: rawValue),
      let otherType = AttributeType(rawValue: other.rawValue)
    else { return false }
    return type.widens(otherType)
  }
}

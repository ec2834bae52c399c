// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Makes records of an entity's present layout from the records of an earlier one, which stay in
/// the store as they are until their objects are next saved.
///
/// A slot continues the earlier slot of the same number. Its value may have a wider type now. A
/// slot that the earlier layout does not have gets the template's value, and so does a slot without
/// a value that the template has one for: an attribute that was optional and is no longer.
///
/// ## Isolation
/// Sendable: constant.
package final class RecordUpgrade: Sendable {
  package let earlier: RecordLayout
  package let present: RecordLayout
  /// A record of the present layout.
  package let template: Record

  private struct Continuation {
    let earlier: Int
    let present: Int
  }

  private let continuations: [Continuation]

  /// - Precondition: `isPossible(from:to:)`.
  package init(from earlier: RecordLayout, to present: RecordLayout, template: Record) {
    precondition(
      Self.isPossible(from: earlier, to: present),
      "the values of an earlier layout's slots fit the slots that continue them")
    self.earlier = earlier
    self.present = present
    self.template = template
    continuations = Self.continuations(from: earlier, to: present)
  }

  /// Whether each slot that continues an earlier one can hold all of its values.
  package static func isPossible(from earlier: RecordLayout, to present: RecordLayout) -> Bool {
    continuations(from: earlier, to: present).allSatisfy {
      present.places[$0.present].code.widens(earlier.places[$0.earlier].code)
    }
  }

  private static func continuations(
    from earlier: RecordLayout, to present: RecordLayout
  ) -> [Continuation] {
    present.slots.indices.compactMap { slot in
      // A value that is not stored any more is gone.
      guard present.places[slot].isPlaced, !present.slots[slot].isTransient,
        let former = earlier.slots.firstIndex(where: { $0.number == present.slots[slot].number })
      else { return nil }
      return Continuation(earlier: former, present: slot)
    }
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

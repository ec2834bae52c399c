// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// One slot of a draft, as it is being set.
///
/// A type that conforms to `AttributeValue` writes itself to one, usually by writing a value of a
/// type that conforms already: `cents.write(to: &writer)`. It writes once, or `writeNil()`.
///
/// - Important: It points into the draft; it is valid during its call of `write(to:)` and must not
///   be kept. The method must not use managed objects or contexts: a fetch or a save would free the
///   draft.
@frozen
public struct _SlotWriter {
  @usableFromInline let draft: Draft
  @usableFromInline let slot: Int
  /// Whether a value was written that differs from the one before.
  @usableFromInline var didChange = false

  @inlinable init(draft: Draft, slot: Int) {
    self.draft = draft
    self.slot = slot
  }

  /// Leaves the slot without a value.
  @inlinable public mutating func writeNil() {
    didChange = draft.clear(slot)
  }

  @inlinable package mutating func write<Integer: FixedWidthInteger>(
    integer: Integer, as code: SlotCode
  ) {
    didChange = draft.store(integer: integer, at: slot, as: code)
  }

  @inlinable package mutating func write(bytes: UnsafeRawBufferPointer, as code: SlotCode) {
    didChange = draft.store(bytes: bytes, at: slot, as: code)
  }

  /// Writes the bytes of a `Codable` value, unless the slot has others that are an equal value.
  ///
  /// - Parameter isEqual: whether the slot's bytes, which differ, are an equal value.
  package mutating func write(
    bytes: UnsafeRawBufferPointer, unless isEqual: (UnsafeRawBufferPointer) -> Bool
  ) {
    if let former = draft.slot(slot).bytes(.codable), !former.elementsEqual(bytes), isEqual(former)
    {
      // The slot takes its own bytes, which are no change.
      let kept = Data(former)
      return kept.withUnsafeBytes { write(bytes: $0, as: .codable) }
    }
    write(bytes: bytes, as: .codable)
  }

  /// Writes data, which an external slot keeps as it is, without copying its bytes.
  package mutating func write(data: Data) {
    didChange = draft.store(data: data, at: slot)
  }

  /// Leaves the slot as it is, because the value cannot be stored.
  package mutating func refuse(_ refusal: ValueRefusal) {
    draft.refuse(refusal, at: slot)
    didChange = false
  }

  package mutating func write(fixed bytes: UnsafeRawBufferPointer, as code: SlotCode) {
    didChange = draft.store(fixed: bytes, at: slot, as: code)
  }
}

@available(*, unavailable)
extension _SlotWriter: Sendable {}

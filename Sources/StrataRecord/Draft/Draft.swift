// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// A draft by itself, for who changes a record here and there: what is composed, merged or checked.
/// Managed objects have references to the drafts of their turn instead.
///
/// ## Lifetime and isolation
/// It keeps what the draft needs, and ends it. It is of one isolation. Slots read from it are valid until
/// the next change.
package final class Draft {
  private let layout: RecordLayout
  private let reference: DraftReference

  /// A draft of `base`, which is a record of `layout`; of a new object if it is nil.
  ///
  /// - Parameter external: the bytes that the base's external slots stand for, where those are not in
  ///   the store.
  package init(
    layout: RecordLayout, base: Record?, external: ExternalValues = ExternalValues()
  ) {
    var slabs = DraftSlabs()
    self.layout = layout
    reference = DraftReference.make(layout, base: base, external: external, in: &slabs)
  }

  deinit { reference.discard() }

  /// The slots that were set to another value than they had.
  package var changed: SlotSet { reference.changed }

  /// What external slots were set to.
  package var external: ExternalValues { reference.external }

  // MARK: - Reading

  /// Whether the slot has a value.
  package func isPresent(_ slot: Int) -> Bool { reference.isPresent(slot) }

  /// The value of the slot; nil if it has none, or one of another type.
  package func value<T: AttributeValue>(at slot: Int) -> T? { reference.value(at: slot) }

  /// The value of the slot without its static type.
  package func value(at slot: Int, store: StoreIdentity) -> Value {
    reference.value(at: slot, store: store)
  }

  /// The target of a to-one relationship, or nil.
  package func toOne(at slot: Int) -> ObjectKey? { reference.toOne(at: slot) }

  // MARK: - Setting

  /// As `DraftReference.set`.
  @discardableResult
  package func set<T: AttributeValue>(_ value: T, at slot: Int) -> Bool {
    reference.set(value, at: slot)
  }

  /// As `DraftReference.setValue`.
  @discardableResult
  package func setValue(_ value: Value, at slot: Int) -> Bool {
    reference.setValue(value, at: slot)
  }

  /// As `DraftReference.setToOne`.
  @discardableResult
  package func setToOne(_ key: ObjectKey?, at slot: Int) -> Bool {
    reference.setToOne(key, at: slot)
  }

  /// As `DraftReference.setExternal`.
  @discardableResult
  package func setExternal(_ value: ExternalData?, at slot: Int) -> Bool {
    reference.setExternal(value, at: slot)
  }

  /// As `DraftReference.replaceExternal`.
  package func replaceExternal(with value: ExternalData?, at slot: Int) {
    reference.replaceExternal(with: value, at: slot)
  }

  // MARK: - Encoding

  /// The values as a record. The draft stays as it is.
  package func encode(into arena: inout RecordArena) -> Record { reference.encode(into: &arena) }
}

@available(*, unavailable)
extension Draft: Sendable {}

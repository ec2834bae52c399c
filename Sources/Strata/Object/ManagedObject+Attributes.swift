// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives
public import StrataRecord

// How a property of a class reaches its slot. `@Entity` writes accessors that use these subscripts;
// one written by hand does the same: `var name: String { get { self[slot: 0] } set { … } }`.
//
// The overloads tell the kinds of Swift types apart, which a macro cannot: types that are stored as
// they are, enums that are stored as their raw value, and other Codable types, stored encoded.

extension ManagedObject {
  /// The value of the attribute at `slot`. Reading fires a fault; setting an equal value is not a
  /// change. A value that is not there reads as the attribute's default or its type's zero.
  ///
  /// - Parameters:
  ///   - slot: the property's index in `entity.properties`.
  ///   - type: the type of the property, which the compiler infers.
  /// - Precondition: the entity has the slot, and describes it with this type.
  // Specialized for debug builds of programs, where nothing is inlined.
  @inlinable
  public final subscript<T: AttributeValue>(slot slot: Int, as type: T.Type = T.self) -> T {
    @specialized(where T == Bool)
    @specialized(where T == Int)
    @specialized(where T == Int32)
    @specialized(where T == Double)
    @specialized(where T == String)
    @specialized(where T == Date)
    @specialized(where T == UUID)
    @specialized(where T == Data)
    @specialized(where T == Bool?)
    @specialized(where T == Int?)
    @specialized(where T == Int32?)
    @specialized(where T == Double?)
    @specialized(where T == String?)
    @specialized(where T == Date?)
    @specialized(where T == UUID?)
    @specialized(where T == Data?)
    get { value(at: slot) }
    @specialized(where T == Bool)
    @specialized(where T == Int)
    @specialized(where T == Int32)
    @specialized(where T == Double)
    @specialized(where T == String)
    @specialized(where T == Date)
    @specialized(where T == UUID)
    @specialized(where T == Data)
    @specialized(where T == Bool?)
    @specialized(where T == Int?)
    @specialized(where T == Int32?)
    @specialized(where T == Double?)
    @specialized(where T == String?)
    @specialized(where T == Date?)
    @specialized(where T == UUID?)
    @specialized(where T == Data?)
    set { setValue(newValue, at: slot) }
  }

  /// Reads and sets an enum, stored as its raw value. A raw value that the enum does not define
  /// reads as the attribute's default.
  @_disfavoredOverload
  @inlinable
  public final subscript<T: RawRepresentable & Sendable>(
    slot slot: Int, as _: T.Type = T.self
  ) -> T where T.RawValue: AttributeValue {
    get { (value(at: slot) as _RawValueBox<T>).wrapped }
    set { setValue(_RawValueBox(newValue), at: slot) }
  }

  /// Reads and sets an optional enum. A raw value that the enum does not define reads as nil.
  @_disfavoredOverload
  @inlinable
  public final subscript<T: RawRepresentable & Sendable>(
    slot slot: Int, as _: T?.Type = T?.self
  ) -> T? where T.RawValue: AttributeValue {
    get { (value(at: slot) as _RawValueBox<T>?)?.wrapped }
    set { setValue(newValue.map(_RawValueBox.init), at: slot) }
  }

  /// Reads and sets an enum that is `Codable` too, stored as its raw value.
  @_disfavoredOverload
  @inlinable
  public final subscript<T: RawRepresentable & Codable & Sendable>(
    slot slot: Int, as _: T.Type = T.self
  ) -> T where T.RawValue: AttributeValue {
    get { (value(at: slot) as _RawValueBox<T>).wrapped }
    set { setValue(_RawValueBox(newValue), at: slot) }
  }

  /// Reads and sets an optional enum that is `Codable` too, stored as its raw value.
  @_disfavoredOverload
  @inlinable
  public final subscript<T: RawRepresentable & Codable & Sendable>(
    slot slot: Int, as _: T?.Type = T?.self
  ) -> T? where T.RawValue: AttributeValue {
    get { (value(at: slot) as _RawValueBox<T>?)?.wrapped }
    set { setValue(newValue.map(_RawValueBox.init), at: slot) }
  }

  /// Reads and sets a `Codable` type, stored encoded. Bytes that do not decode read as the
  /// attribute's default.
  @_disfavoredOverload
  @inlinable
  public final subscript<T: Codable & Sendable>(slot slot: Int, as _: T.Type = T.self) -> T {
    get { (value(at: slot) as _CodableBox<T>).wrapped }
    set { setValue(_CodableBox(newValue), at: slot) }
  }

  /// Reads and sets an optional `Codable` type. Bytes that do not decode read as nil.
  @_disfavoredOverload
  @inlinable
  public final subscript<T: Codable & Sendable>(slot slot: Int, as _: T?.Type = T?.self) -> T? {
    get { (value(at: slot) as _CodableBox<T>?)?.wrapped }
    set { setValue(newValue.map(_CodableBox.init), at: slot) }
  }
}

// MARK: - Reading and setting

extension ManagedObject {
  // Inlined where the property's type is known: a getter is a few loads, a setter a few stores.
  // Calls of generic code that is not would cost twenty times as much.

  @inlinable
  final func value<T: AttributeValue>(at slot: Int) -> T {
    if binding.observed != nil { noteAccess(slot) }
    // The object, which the caller holds, holds the record: counting another reference to that
    // would take longer than all the rest.
    if draft == nil, let record, let value = T(binding.layout.slot(slot, at: record.start)) {
      return value
    }
    return valueNotInRecord(at: slot)
  }

  @inlinable
  @inline(never)
  final func valueNotInRecord<T: AttributeValue>(at slot: Int) -> T {
    if draft == nil, record == nil { fireFault(reading: slot) }
    if let draft {
      if let value: T = draft.value(at: slot) { return value }
    } else if let record, let value = T(binding.layout.slot(slot, at: record.start)) {
      return value
    }
    return valueNotAtHand(at: slot)
  }

  @inline(never)
  @usableFromInline final func fireFault(reading slot: Int) {
    _ = fireFault(for: .value(slot: slot))
  }

  /// Reads an attribute without a value, or with a value of another type.
  @inline(never)
  @usableFromInline final func valueNotAtHand<T: AttributeValue>(at slot: Int) -> T {
    if draft == nil, record == nil, let value: T = binding.recorder?.read(slot) { return value }
    return missingValue(at: slot)
  }

  @inlinable
  final func setValue<T: AttributeValue>(_ value: T, at slot: Int) {
    if let draft, observation == 0, !draft.hasExternalSlots {
      draft.set(value, at: slot)
    } else {
      setFirstValue(value, at: slot)
    }
  }

  /// Sets a value of an object that has not been changed since its changes were last encoded, that
  /// may be observed, or that has values beside its record.
  @inlinable
  @inline(never)
  final func setFirstValue<T: AttributeValue>(_ value: T, at slot: Int) {
    guard observation == 0, draft == nil, let record, binding.layout.externalSlots.isEmpty else {
      return setValueElsewhere(value, at: slot)
    }
    let current = binding.layout.slot(slot, at: record.start)
    if current.isPresent || T.isOptional, let current = T(current), current == value,
      !binding.hasRefusedValues
    {
      return
    }
    draftForEditing(slot)?.set(value, at: slot)
  }

  /// Sets a value of a fault, of an object that may be observed, or of an object that has values
  /// beside its record.
  @inline(never)
  @usableFromInline final func setValueElsewhere<T: AttributeValue>(_ value: T, at slot: Int) {
    if observation == 0 { store(value, at: slot) } else { storeObserved(value, at: slot) }
  }

  /// The draft that takes a new value of `slot`; nil if the object has no values to set.
  @usableFromInline final func draftForEditing(_ slot: Int) -> Draft? {
    if isFault { binding.context?.loader.fire(self) }
    if let draft = binding.find({ $0.work.draftForEditing(self, slot) }) { return draft }
    stopIfContextIsGone(.setting(slot: slot))
    return nil
  }

  /// Sets a value of an object that may be observed: observers are notified if the value differs.
  private final func storeObserved<T: AttributeValue>(_ value: T, at slot: Int) {
    if record == nil, draft == nil { _ = fireFault(for: .setting(slot: slot)) }
    if binding.layout.externalSlots.contains(slot) { return storeExternal(value, at: slot) }
    let current: T? = draft.map { $0.value(at: slot) } ?? record?.value(at: slot, binding.layout)
    guard let observed = binding.observed, current != value else { return store(value, at: slot) }
    observed.willSet(self, slot)
    store(value, at: slot)
    observed.didSet(self, slot)
  }

  private final func store<T: AttributeValue>(_ value: T, at slot: Int) {
    if record == nil, draft == nil { _ = fireFault(for: .setting(slot: slot)) }
    if binding.layout.externalSlots.contains(slot) { return storeExternal(value, at: slot) }
    if let draft {
      draft.set(value, at: slot)
      return
    }
    if let record, let current: T = record.value(at: slot, binding.layout), current == value,
      record.isPresent(slot, binding.layout) || T.isOptional, !binding.hasRefusedValues
    {
      return
    }
    draftForEditing(slot)?.set(value, at: slot)
  }

  /// - Returns: whether the object has values now.
  private func fireFault(for need: @autoclosure () -> ContextNeed) -> Bool {
    guard let context = context(for: need()), isFault else { return false }
    context.loader.fire(self)
    return record != nil
  }

  /// The value of an attribute whose value is not in the record, or has another type: an external
  /// one, an object that is gone, an attribute that was never set, an enum's raw value that the
  /// program does not define.
  private func missingValue<T: AttributeValue>(at slot: Int) -> T {
    if binding.layout.externalSlots.contains(slot), let data = externalData(at: slot)?.data,
      let value = T(external: data)
    {
      return value
    }
    if T.isOptional, let zero = T.zero { return zero }
    if let attribute = binding.entity.description.properties[slot].attribute,
      attribute.defaultValue != .null, let value = T(value: attribute.defaultValue)
    {
      return value
    }
    guard let zero = T.zero else {
      let entity = binding.entity.description
      stopProgram(
        "\(entity.name).\(entity.properties[slot].name) has no value of the type that is read, "
          + "which has no zero: a property of a class has the type and the slot of its "
          + "description.")
    }
    return zero
  }
}

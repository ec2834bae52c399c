// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

/// A property of an object and the value by which `upsert` finds it: one of an attribute that is
/// unique, or one of several that are unique together.
///
/// ```swift
/// UniqueValue(\City.country, equals: iran)
/// ```
///
/// ## Isolation
/// It may hold an object: it stays with the context's isolation.
public struct UniqueValue<Root: ManagedObject> {
  let keyPath: AnyKeyPath
  let value: PropertyValue
  /// Gives the value to a new object.
  let assign: (Root) -> Void
}

extension UniqueValue {
  /// The value of an attribute.
  public init<V: AttributeValue>(_ property: ReferenceWritableKeyPath<Root, V>, equals value: V) {
    self.init(keyPath: property, value: value.value) { $0[keyPath: property] = value }
  }

  /// The value of an attribute of an enum's type.
  @_disfavoredOverload
  public init<V: RawRepresentable & Sendable>(
    _ property: ReferenceWritableKeyPath<Root, V>, equals value: V
  ) where V.RawValue: AttributeValue {
    self.init(keyPath: property, value: value.rawValue.value) { $0[keyPath: property] = value }
  }

  /// The value of an attribute of an optional enum's type.
  @_disfavoredOverload
  public init<V: RawRepresentable & Sendable>(
    _ property: ReferenceWritableKeyPath<Root, V?>, equals value: V?
  ) where V.RawValue: AttributeValue {
    self.init(keyPath: property, value: value?.rawValue.value ?? .null) {
      $0[keyPath: property] = value
    }
  }

  /// The target of a to-one relationship, which is an object of the same context.
  @_disfavoredOverload
  public init<Target: ManagedObject>(
    _ property: ReferenceWritableKeyPath<Root, Target?>, equals target: Target?
  ) {
    self.init(keyPath: property, value: target.map { .object($0.objectID) } ?? .null) {
      $0[keyPath: property] = target
    }
  }
}

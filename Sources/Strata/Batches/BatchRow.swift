// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

/// The object of one row of a batch insert, while its values are set. It has the properties of the
/// entity's class. A to-one relationship is set by the ID of its target.
///
///     try coordinator.execute(BatchInsertRequest(City.self), rows: lines) { city, line in
///       city.name = line.name
///       city.population = line.population
///       city.country = countries[line.code]
///     }
///
/// A property that is not set gets its default in a new object, and keeps its value in an object
/// that `upserting(on:)` finds. A wrong key path, for example of a computed property, ends the
/// batch with `BatchRowError`.
@frozen
@dynamicMemberLookup
public struct BatchRow<Root: ManagedObject> {
  @usableFromInline let row: RowDraft

  @inlinable init(_ row: RowDraft) { self.row = row }

  // MARK: - Attributes

  /// An attribute. Until it is set, it reads as its default, or as the zero of its type.
  ///
  /// - Precondition: a property that is read and whose type has no zero, such as an enum, is an
  ///   attribute of the entity.
  @inlinable
  public subscript<V: AttributeValue>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V>
  ) -> V {
    get { row.value(of: property) }
    set { row.set(newValue, property) }
  }

  /// An attribute of an enum's type.
  @_disfavoredOverload
  @inlinable
  public subscript<V: RawRepresentable & Sendable>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V>
  ) -> V where V.RawValue: AttributeValue {
    get { (row.value(of: property) as _RawValueBox<V>).wrapped }
    set { row.set(_RawValueBox(newValue), property) }
  }

  /// An attribute of an optional enum's type.
  @_disfavoredOverload
  @inlinable
  public subscript<V: RawRepresentable & Sendable>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V?>
  ) -> V? where V.RawValue: AttributeValue {
    get { (row.value(of: property) as _RawValueBox<V>?)?.wrapped }
    set { row.set(newValue.map(_RawValueBox.init), property) }
  }

  /// An attribute of an enum's type that is `Codable` too.
  @_disfavoredOverload
  @inlinable
  public subscript<V: RawRepresentable & Codable & Sendable>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V>
  ) -> V where V.RawValue: AttributeValue {
    get { (row.value(of: property) as _RawValueBox<V>).wrapped }
    set { row.set(_RawValueBox(newValue), property) }
  }

  /// An attribute of an optional enum's type that is `Codable` too.
  @_disfavoredOverload
  @inlinable
  public subscript<V: RawRepresentable & Codable & Sendable>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V?>
  ) -> V? where V.RawValue: AttributeValue {
    get { (row.value(of: property) as _RawValueBox<V>?)?.wrapped }
    set { row.set(newValue.map(_RawValueBox.init), property) }
  }

  /// An attribute of a `Codable` type.
  @_disfavoredOverload
  @inlinable
  public subscript<V: Codable & Sendable>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V>
  ) -> V {
    get { (row.value(of: property) as _CodableBox<V>).wrapped }
    set { row.set(_CodableBox(newValue), property) }
  }

  /// An attribute of an optional `Codable` type.
  @_disfavoredOverload
  @inlinable
  public subscript<V: Codable & Sendable>(
    dynamicMember property: ReferenceWritableKeyPath<Root, V?>
  ) -> V? {
    get { (row.value(of: property) as _CodableBox<V>?)?.wrapped }
    set { row.set(newValue.map(_CodableBox.init), property) }
  }

  // MARK: - Relationships

  /// The ID of the target of a to-one relationship. The inverse is updated, as in a context.
  @_disfavoredOverload
  @inlinable
  public subscript<Target: ManagedObject>(
    dynamicMember property: ReferenceWritableKeyPath<Root, Target?>
  ) -> ObjectID? {
    get { row.target(of: property) }
    set { row.set(newValue, property) }
  }

  /// Adds objects to an unordered to-many relationship. The inverse must be an unordered to-many
  /// relationship or missing. If it is a to-one relationship, set it in the rows of the other
  /// objects.
  public mutating func insert<Members: Sequence>(
    _ ids: some Sequence<ObjectID>, into property: KeyPath<Root, Members>
  ) where Members.Element: ManagedObject {
    row.insert(Array(ids), into: property)
  }
}

@available(*, unavailable)
extension BatchRow: Sendable {}

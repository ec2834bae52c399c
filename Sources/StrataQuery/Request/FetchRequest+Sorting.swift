// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataRecord

// The order of a request: `City.all.sorted(by: \.country?.name).sorted(by: \.population, order:
// .reverse)`. Core Data: `sortDescriptors`.
//
// A key path may go through to-one relationships. A closure may also calculate: `{ $0.cities.count
// }`. Only a property of the object itself can have the order of an index.

// The closure's result selects the overload: for a value or for an optional value.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension FetchRequest {
  /// Adds a sort key for a property, less significant than the keys before.
  ///
  /// Values are in Swift's order, texts in the order of their normal form (NFC). An enum that is
  /// `Comparable` and `CaseIterable` has the order of its `<`. Other types of the program have the
  /// order of their stored values (`AttributeValue`). A floating-point value that is not a number
  /// comes after every number.
  ///
  /// - Parameters:
  ///   - keyPath: the key path of a stored property.
  ///   - order: `.reverse` for the greatest value first.
  public func sorted<V: AttributeValue & Comparable>(
    by keyPath: KeyPath<Root, V> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest {
    adding(keyPath, V.self, order)
  }

  /// Adds a sort key for an optional property, or for a property of a related object:
  /// `\.country?.name`. It is less significant than the keys before. nil comes before every value.
  ///
  /// - Parameters:
  ///   - keyPath: the key path of a stored property, perhaps through to-one relationships.
  ///   - order: `.reverse` for the greatest value first and nil last.
  public func sorted<V: AttributeValue & Comparable>(
    by keyPath: KeyPath<Root, V?> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest {
    adding(keyPath, V.self, order)
  }

  /// Adds a sort key for a Boolean property, less significant than the keys before: false before
  /// true.
  public func sorted(
    by keyPath: KeyPath<Root, Bool> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest {
    adding(keyPath, Bool.self, order)
  }

  /// Adds a sort key for an optional Boolean property, or for one of a related object, less
  /// significant than the keys before: nil before false, and false before true.
  public func sorted(
    by keyPath: KeyPath<Root, Bool?> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest {
    adding(keyPath, Bool.self, order)
  }

  /// Adds a sort key for a property or a calculated value, less significant than the keys before:
  /// `sorted(by: { $0.cities.count }, order: .reverse)`.
  ///
  /// - Complexity: the value of each found object is calculated.
  public func sorted<V: AttributeValue & Comparable>(
    by value: (PropertyPath<Root, Root>) -> PropertyPath<Root, V>, order: SortOrder = .forward
  ) -> FetchRequest {
    adding(value(PropertyPath()).operand, V.self, order)
  }

  /// Adds a sort key for an optional property or a calculated value, less significant than the keys
  /// before. nil comes before every value.
  ///
  /// - Complexity: the value of each found object is calculated.
  public func sorted<V: AttributeValue & Comparable>(
    by value: (PropertyPath<Root, Root>) -> PropertyPath<Root, V?>, order: SortOrder = .forward
  ) -> FetchRequest {
    adding(value(PropertyPath()).operand, V.self, order)
  }

  /// Adds a sort key for a property that is known by its name at run time, or for a property of a
  /// related object, `"country.name"`: less significant than the keys before. nil comes before
  /// every value. Enums have the order of their raw values. Core Data:
  /// `NSSortDescriptor(key:ascending:)`.
  ///
  /// A name that the entity does not have is found when the request is executed, which then throws
  /// `QueryError.unknownProperty`.
  public func sorted(by keyPath: String, order: SortOrder = .forward) -> FetchRequest {
    let node = PathNode(PathReference(steps: PathStep.names(keyPath)))
    return with { $0.sortKeys.append(SortKey(operand: node, order: order)) }
  }

  private func adding<V: AttributeValue>(
    _ keyPath: any AnyKeyPath & Sendable, _: V.Type, _ order: SortOrder
  ) -> FetchRequest {
    adding(PathNode(PathReference([keyPath])), V.self, order)
  }

  /// Returns the request with one more, less significant sort key.
  private func adding<V: AttributeValue>(
    _ operand: any OperandNode, _: V.Type, _ order: SortOrder
  ) -> FetchRequest {
    with { $0.sortKeys.append(SortKey(operand: RankNode.ranking(operand, V.self), order: order)) }
  }
}

// MARK: - Enums

// Enums that do not conform to `AttributeValue`. Disfavored, so that those that do use the general
// methods.
extension FetchRequest {
  /// Adds a sort key for an enum, which has the order of its `<`, less significant than the keys
  /// before.
  @_disfavoredOverload
  public func sorted<V: RawRepresentable & CaseIterable & Comparable>(
    by keyPath: KeyPath<Root, V> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest where V.RawValue: AttributeValue {
    adding(keyPath, V.self, order)
  }

  /// Adds a sort key for an optional enum, which has the order of its `<`, less significant than
  /// the keys before. nil comes before every case.
  @_disfavoredOverload
  public func sorted<V: RawRepresentable & CaseIterable & Comparable>(
    by keyPath: KeyPath<Root, V?> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest where V.RawValue: AttributeValue {
    adding(keyPath, V.self, order)
  }

  private func adding<V: RawRepresentable & CaseIterable & Comparable>(
    _ keyPath: any AnyKeyPath & Sendable, _: V.Type, _ order: SortOrder
  ) -> FetchRequest where V.RawValue: AttributeValue {
    let node = RankNode(PathNode(PathReference([keyPath])), _Ranks(of: V.self))
    return with { $0.sortKeys.append(SortKey(operand: node, order: order)) }
  }
}

// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataPrimitives
public import StrataQuery
public import StrataRecord

/// Updates objects in the store, without making instances or loading them into a context. Only the
/// objects' IDs and a few thousand records are in memory. Core Data: `NSBatchUpdateRequest`.
///
///     try coordinator.execute(
///       BatchUpdateRequest(City.where { $0.population > 0 })
///         .setting(\.population) { $0.population * 2 }
///         .setting(\.isChecked, to: false))
///
/// A batch update is a save of its own. It updates all objects or none, other readers see all of it
/// or nothing, and it is on the disk when the call returns. It has the effects of setting the
/// properties in a context and saving: rules and uniqueness are checked, derived attributes are
/// calculated, the inverses of relationships are updated, and contexts are notified.
///
/// All values are calculated from the store's state before the batch, whatever the order of the
/// objects. Unsaved changes in contexts are ignored, and no methods of the objects are called.
public struct BatchUpdateRequest<Root: Entity>: Sendable {
  let objects: UntypedFetchRequest
  private(set) var assignments: [Assignment] = []
  private(set) var commitInterval: Int?
  private(set) var token: BatchToken?

  /// Whether the result has the IDs of the updated objects. False by default. Core Data:
  /// `resultType`, `.updatedObjectIDsResultType`.
  public var returnsObjectIDs = false

  /// The author of the update in the store's history. If it is nil, the author is the
  /// `transactionAuthor` of the context that executes the request, if there is one.
  public var transactionAuthor: String?

  /// Updates the objects that match a fetch request in the store, within its limit and offset.
  /// Core Data: `init(entity:)` and `predicate`.
  public init(_ request: FetchRequest<Root>) { objects = request.untyped }

  // MARK: - Values

  /// Returns the request that also sets an attribute to a value.
  public func setting<V: AttributeValue>(
    _ property: ReferenceWritableKeyPath<Root, V> & Sendable, to value: V
  ) -> BatchUpdateRequest {
    adding(Assignment(property, constant: value.value))
  }

  /// Returns the request that also sets an attribute to a value that is calculated for each object:
  /// `.setting(\.population) { $0.population * 2 }`.
  public func setting<V: AttributeValue>(
    _ property: ReferenceWritableKeyPath<Root, V> & Sendable,
    to value: (PropertyPath<Root, Root>) -> PropertyPath<Root, V>
  ) -> BatchUpdateRequest {
    adding(Assignment(property, value(PropertyPath()).operand))
  }

  /// Returns the request that also sets an attribute of an enum's type.
  @_disfavoredOverload
  public func setting<V: RawRepresentable & Sendable>(
    _ property: ReferenceWritableKeyPath<Root, V> & Sendable, to value: V
  ) -> BatchUpdateRequest where V.RawValue: AttributeValue {
    adding(Assignment(property, constant: value.rawValue.value))
  }

  /// Returns the request that also sets an attribute of an optional enum's type.
  @_disfavoredOverload
  public func setting<V: RawRepresentable & Sendable>(
    _ property: ReferenceWritableKeyPath<Root, V?> & Sendable, to value: V?
  ) -> BatchUpdateRequest where V.RawValue: AttributeValue {
    adding(Assignment(property, constant: value?.rawValue.value ?? .null))
  }

  /// Returns the request that also sets a to-one relationship; nil for no target.
  @_disfavoredOverload
  public func setting<Target: ManagedObject>(
    _ property: ReferenceWritableKeyPath<Root, Target?> & Sendable, to target: ObjectID?
  ) -> BatchUpdateRequest {
    adding(Assignment(property, constant: target.map(PropertyValue.object) ?? .null))
  }

  /// Returns the request that also sets a property, by its name, to a value in the grammar of
  /// `FetchPredicate(format:)`: `"population * 2"`, `"%@"`, `"nil"`.
  ///
  /// - Parameters:
  ///   - property: the name of an attribute or of a to-one relationship. The batch throws
  ///     `QueryError.unknownProperty` for another name.
  ///   - format: the value as a text.
  ///   - arguments: one argument for each placeholder.
  /// - Throws: `PredicateFormatError` with the position of the mistake.
  public func setting(
    _ property: String, format: String, _ arguments: Any?...
  ) throws(PredicateFormatError) -> BatchUpdateRequest {
    adding(try Assignment(property, format: format, arguments: arguments))
  }

  private func adding(_ assignment: Assignment) -> BatchUpdateRequest {
    var request = self
    request.assignments.append(assignment)
    return request
  }

  // MARK: - Transactions

  /// Returns the request that commits after every `count` objects. Each time it commits a
  /// transaction of its own, which is complete or does not happen. Other saves can run between the
  /// transactions. If one fails, the earlier ones stay in the store, and `BatchInterruption` has
  /// the token for `resuming(after:)`.
  ///
  /// The objects are found when the first transaction begins. An object that no longer matches the
  /// predicate when its transaction begins is not updated. Each transaction calculates values from
  /// the state before it.
  ///
  /// - Parameter count: the number of objects in a transaction.
  /// - Precondition: `count` is 1 or more.
  public func committing(every count: Int) -> BatchUpdateRequest {
    require(
      count > 0, "BatchUpdateRequest.committing(every:) takes 1 object or more, not \(count).")
    var request = self
    request.commitInterval = count
    return request
  }

  /// Returns the request that leaves out the objects that were examined before `token` was made. A
  /// request with a limit or an offset cannot be resumed: executing it throws
  /// `QueryError.unsupportedExpression`.
  public func resuming(after token: BatchToken) -> BatchUpdateRequest {
    var request = self
    request.token = token
    return request
  }
}

/// The result of a batch update. Core Data: `NSBatchUpdateResult`.
public struct BatchUpdateResult: Sendable, Hashable {
  /// How many objects have changed. Objects that already had the new values are not counted.
  public internal(set) var updatedCount: Int
  /// The IDs of the changed objects; nil unless the request asks for them.
  public internal(set) var objectIDs: [ObjectID]?
  /// The position of the batch after this call, including the objects that the request left out.
  public internal(set) var token: BatchToken
}

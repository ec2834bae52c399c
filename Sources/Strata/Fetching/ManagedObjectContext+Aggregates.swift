// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
public import StrataQuery
public import StrataRecord

// Single aggregates over all objects of a request. Use `select` for several aggregates, or for
// groups.
//
// They are `minimum` and `maximum`, not `min` and `max` as on the rows of `select`: in an extension
// of the context, methods of these names would hide the functions `min(_:_:)` and `max(_:_:)`.

extension ManagedObjectContext {
  /// The sum of a property over the objects that `request` would return, its limit and offset
  /// counted in. Objects without a value are left out, and the sum of nothing is 0. Core Data:
  /// `sum:`.
  ///
  /// - Throws: `QueryError` for a request that cannot be answered, `.noValue` for a sum of integers
  ///   beyond 64 bits or of decimals too large; `StoreError` if reading fails.
  /// - Complexity: O(objects looked at), in the memory of a few. If an index decides the predicate,
  ///   and the property is in it, no record is read.
  public func sum<T: Entity, V: Calculable>(
    _ request: FetchRequest<T>, of keyPath: KeyPath<T, V> & Sendable
  ) throws -> V.Sum {
    try aggregate(request.select { $0[dynamicMember: keyPath].sum() })
  }

  /// The average of a property over those objects that `request` would return and that have a
  /// value; nil if none has. Core Data: `average:`.
  ///
  /// - Throws: `QueryError` for a request that cannot be answered; `StoreError` if reading fails.
  public func average<T: Entity, V: Calculable>(
    _ request: FetchRequest<T>, of keyPath: KeyPath<T, V> & Sendable
  ) throws -> V.Average? {
    try aggregate(request.select { $0[dynamicMember: keyPath].average() })
  }

  /// The least value of a property among the objects that `request` would return; nil if none has
  /// one. Core Data: `min:`. Rows of `select` have `min()` of a property, also for groups.
  ///
  /// - Throws: as `average(_:of:)`.
  public func minimum<T: Entity, V: AttributeValue & Comparable>(
    _ request: FetchRequest<T>, of keyPath: KeyPath<T, V> & Sendable
  ) throws -> V? {
    try aggregate(request.select { $0[dynamicMember: keyPath].min() })
  }

  /// The least value of an optional property; nil if no object has one.
  ///
  /// - Throws: as `average(_:of:)`.
  public func minimum<T: Entity, V: AttributeValue & Comparable>(
    _ request: FetchRequest<T>, of keyPath: KeyPath<T, V?> & Sendable
  ) throws -> V? {
    try aggregate(request.select { $0[dynamicMember: keyPath].min() })
  }

  /// The greatest value of a property among the objects that `request` would return; nil if none
  /// has one. Core Data: `max:`. Rows of `select` have `max()` of a property, also for groups.
  ///
  /// - Throws: as `average(_:of:)`.
  public func maximum<T: Entity, V: AttributeValue & Comparable>(
    _ request: FetchRequest<T>, of keyPath: KeyPath<T, V> & Sendable
  ) throws -> V? {
    try aggregate(request.select { $0[dynamicMember: keyPath].max() })
  }

  /// The greatest value of an optional property; nil if no object has one.
  ///
  /// - Throws: as `average(_:of:)`.
  public func maximum<T: Entity, V: AttributeValue & Comparable>(
    _ request: FetchRequest<T>, of keyPath: KeyPath<T, V?> & Sendable
  ) throws -> V? {
    try aggregate(request.select { $0[dynamicMember: keyPath].max() })
  }

  /// The number of different values of a property among the objects that `request` would return;
  /// nil counts as none.
  ///
  /// - Throws: as `average(_:of:)`.
  public func count<T: Entity, V>(
    _ request: FetchRequest<T>, distinct keyPath: KeyPath<T, V> & Sendable
  ) throws -> Int {
    try aggregate(request.select { $0[dynamicMember: keyPath].distinctCount() })
  }

  /// The only row of an aggregate over the objects in the request's window.
  private func aggregate<T: Entity, Result>(_ request: RowRequest<T, Result>) throws -> Result {
    var result: Result?
    try walk(request, hasWindowOfObjects: true) { values in
      result = try request.decode(values)
      return .stop
    }
    guard let result else {
      stopProgram("all objects are one group, even if there are none")
    }
    return result
  }
}

// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataQuery
import StrataRecord

/// The result of a request, now and after each change that may concern it.
///
/// ```swift
/// let request = City.where { $0.population > 1_000_000 }.sorted(by: \.name).select(\.name)
/// for try await names in coordinator.values(of: request) { show(names) }
/// ```
///
/// The values are what a new child context would fetch. For a queue or a layer they include unsaved
/// changes up to the end of its last turn; for a coordinator, only saved changes.
///
/// The first value comes at once. Another one comes after a save, a batch or a save of another
/// process has changed an object of an entity that the request reads: the requested entity, its
/// subentities, and the entities at the other ends of the relationships in the predicate, the order
/// and the columns. Several changes in a row give one value, of the state after them: a slow
/// consumer misses states between, and never the last one. No context waits for the consumer.
///
/// A value that equals the one before is left out if values can be compared: IDs, rows of an
/// `Equatable` type, and rows of several columns whose types are `Equatable`.
///
/// Unlike `FetchedResultsController`, it is for any isolation, has values and no objects, and does
/// not tell what has changed. Each value costs a fetch.
///
/// ## Lifetime
/// It keeps the coordinator, and the context if that has a queue. Each iteration follows the
/// changes by itself, from the first value on until the iterator is deallocated. Until then it
/// keeps a container's view context, too. The iteration ends if the context is deallocated or the
/// task is cancelled, and with an error.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
  let parent: any ContextParent
  /// The entities whose objects the value depends on; nil if any object may matter.
  let entities: @Sendable (ManagedObjectContext) throws -> Set<EntityNumber>?
  let fetch: @Sendable (isolated (any Actor)?) async throws -> Value
  /// Nil if values cannot be compared.
  let areEqual: (@Sendable (Value, Value) -> Bool)?

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One iteration over the values.
  public struct Iterator: AsyncIteratorProtocol {
    private let values: LiveValues
    private var follower: ChangeFollower?
    private var last: Value?
    private var isEnded = false

    init(_ values: LiveValues) { self.values = values }

    /// The next value; nil if the task was cancelled or the context is gone.
    ///
    /// - Throws: `QueryError` for an invalid request; `StoreError` if reading fails. No values
    ///   follow an error.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value? {
      if isEnded { return nil }
      do {
        if let value = try await nextValue(isolation) { return value }
      } catch is CancellationError {
        // The end, as for other sequences.
      } catch {
        end()
        throw error
      }
      end()
      return nil
    }

    private mutating func end() { (isEnded, follower, last) = (true, nil, nil) }

    private mutating func nextValue(_ isolation: isolated (any Actor)?) async throws -> Value? {
      var isFirst = false
      if follower == nil {
        follower = try await ChangeFollower(values.parent, values.entities)
        isFirst = true
      }
      while true {
        if !isFirst {
          guard await follower?.nextChange(isolation: isolation) == true else { return nil }
        }
        isFirst = false
        let value = try await values.fetch(isolation)
        if let areEqual = values.areEqual {
          if let last, areEqual(last, value) { continue }
          last = value
        }
        return value
      }
    }
  }
}

// MARK: - Of a parent of contexts

extension ContextParent {
  /// The IDs of the objects that match `request`, in its order, now and after each change of them.
  /// ``LiveValues`` describes which changes are included.
  ///
  /// - Complexity: a fetch for each value.
  public func values<T: Entity>(of request: FetchRequest<T>) -> LiveValues<[ObjectID]> {
    LiveValues(
      parent: self,
      entities: { context in
        let log = PathLog()
        let plan = try QueryPlan(
          request, entity: context.fetcher.schema(of: T.self), schema: context.schema, log: log)
        return log.entities(with: plan.family)
      },
      fetch: { [self] isolation in try await fetchIDs(request, isolation: isolation) },
      areEqual: { $0 == $1 })
  }

  /// The rows of `request`, in its order, now and after each change that may concern them.
  /// ``LiveValues`` describes which changes are included.
  ///
  /// - Complexity: a fetch for each value.
  public func values<T: Entity, Row: Sendable>(
    of request: RowRequest<T, Row>
  ) -> LiveValues<[Row]> {
    values(of: request, areEqual: nil)
  }

  /// The rows of `request`, in its order, now and after each change of them. ``LiveValues``
  /// describes which changes are included.
  ///
  /// - Complexity: a fetch for each value.
  public func values<T: Entity, Row: Sendable & Equatable>(
    of request: RowRequest<T, Row>
  ) -> LiveValues<[Row]> {
    values(of: request) { $0 == $1 }
  }

  /// The rows of `request`, of several columns, in its order, now and after each change of them.
  /// ``LiveValues`` describes which changes are included.
  ///
  /// - Complexity: a fetch for each value.
  public func values<T: Entity, each Column: Sendable & Equatable>(
    of request: RowRequest<T, (repeat each Column)>
  ) -> LiveValues<[(repeat each Column)]> {
    values(of: request) { haveEqualColumns($0, $1) }
  }

  private func values<T: Entity, Row: Sendable>(
    of request: RowRequest<T, Row>, areEqual: (@Sendable ([Row], [Row]) -> Bool)?
  ) -> LiveValues<[Row]> {
    LiveValues(
      parent: self,
      entities: { context in
        let entity = try context.fetcher.schema(of: T.self)
        let log = PathLog()
        let plan = try RowPlan(
          request.untyped(of: entity.description), entity: entity, schema: context.schema,
          objectLog: log)
        return log.entities(with: entity.family).flatMap { plan.log.entities(with: $0) }
      },
      fetch: { [self] isolation in try await fetch(request, isolation: isolation) },
      areEqual: areEqual)
  }
}

/// Whether two arrays of rows are equal, column by column: a tuple is not `Equatable`.
private func haveEqualColumns<each Column: Equatable>(
  _ left: [(repeat each Column)], _ right: [(repeat each Column)]
) -> Bool {
  guard left.count == right.count else { return false }
  for index in left.indices {
    let (one, other) = (left[index], right[index])
    for (value, otherValue) in repeat (each one, each other) {
      if value != otherValue { return false }
    }
  }
  return true
}

extension PathLog {
  /// The entities of all objects that a request reads; nil if it may read any.
  ///
  /// - Parameter fetched: the entities of the fetched objects.
  fileprivate func entities(with fetched: some Sequence<EntityNumber>) -> Set<EntityNumber>? {
    isOpaque ? nil : entities.union(fetched)
  }
}

// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataRecord

/// Inserts objects in the store, without making instances or loading them into a context: any
/// number of rows, in the memory of a few thousand. Core Data: `NSBatchInsertRequest`.
///
///     let cities = BatchInsertRequest(City.self).upserting(on: \.geonameID)
///     try coordinator.execute(cities, rows: lines) { city, line in
///       city.geonameID = line.id
///       city.name = line.name
///     }
///
/// It is a save of its own: all rows are inserted or none, others see all of them or nothing, and
/// they are on the disk when the call returns. It has the effects of inserting the objects in a
/// context and saving:
/// - Rules of the model and uniqueness are checked, derived attributes are calculated, the inverses
///   of relationships follow.
/// - Contexts are notified as of any save: those that merge automatically merge it, fetched lists
///   follow.
///
/// For rules that hold for the whole batch, it keeps some bytes in memory for each object: if it
/// upserts into an entity with rules or unique values, or if the model has derived attributes.
///
/// It differs in two points:
/// - It ignores unsaved changes in every context.
/// - It calls no methods of the objects: no `awakeFromInsert`, no `validateForInsert`, no
///   `willSave`.
public struct BatchInsertRequest<Root: Entity>: Sendable {
  @usableFromInline var options: BatchInsertOptions

  /// Whether the result has the IDs of the objects. False by default. Core Data: `resultType`,
  /// `.objectIDs`.
  public var returnsObjectIDs: Bool {
    get { options.returnsObjectIDs }
    set { options.returnsObjectIDs = newValue }
  }

  /// The author of the insertion in the store's history; nil for `transactionAuthor` of the context
  /// that executes the request, or for none.
  public var transactionAuthor: String? {
    get { options.author }
    set { options.author = newValue }
  }

  /// Inserts objects of an entity.
  ///
  /// - Precondition: the entity is not abstract: else executing it throws
  ///   `ContextError.unknownEntity`.
  public init(_ type: Root.Type = Root.self) { options = BatchInsertOptions(type: type) }

  private func with(_ change: (inout BatchInsertOptions) -> Void) -> BatchInsertRequest {
    var request = self
    change(&request.options)
    return request
  }

  /// Returns the request in which a row updates the object that has its value of a unique
  /// attribute, and inserts one if there is none. Only the properties that the row sets are
  /// changed. A row whose value is nil is inserted; several rows with one value are one object.
  ///
  /// Executing it throws `ContextError.noUniquenessConstraint` if the attribute is not unique.
  public func upserting<V>(
    on property: ReferenceWritableKeyPath<Root, V> & Sendable
  ) -> BatchInsertRequest {
    with { $0.matching = [property] }
  }

  /// Returns the request in which a row updates the object that has its values of properties that
  /// are unique together, given in any order.
  ///
  /// Executing it throws `ContextError.noUniquenessConstraint` if they are not.
  public func upserting(
    on properties: (PartialKeyPath<Root> & Sendable)...
  ) -> BatchInsertRequest {
    with { $0.matching = properties }
  }

  /// Returns the request that commits after each `count` rows, so that other saves get their turn
  /// and the memory of a transaction is bounded. A stretch is inserted as a whole or not at all. If
  /// a stretch fails, those before it stay: `BatchInterruption` has the token to go on from.
  ///
  /// - Parameter count: rows, at least 1.
  public func stretches(of count: Int) -> BatchInsertRequest {
    precondition(count > 0, "A stretch has at least one row.")
    return with { $0.stretchCount = count }
  }

  /// Returns the request that skips the rows that were inserted before `token` was made. The rows
  /// are the same as in the call that it comes from.
  public func resuming(after token: BatchToken) -> BatchInsertRequest {
    with { $0.token = token }
  }
}

/// A batch insert request without its static type.
@usableFromInline
struct BatchInsertOptions: Sendable {
  let type: ManagedObject.Type
  /// The properties by which an existing object is found, in the order in which they were given.
  var matching: [any AnyKeyPath & Sendable] = []
  var stretchCount: Int?
  var token: BatchToken?
  var returnsObjectIDs = false
  var author: String?

  init(type: ManagedObject.Type) { self.type = type }

  /// How many rows are left out at the beginning.
  @usableFromInline var skipCount: Int { token?.completedCount ?? 0 }
}

/// The result of a batch insert. Core Data: `NSBatchInsertResult`.
public struct BatchInsertResult: Sendable, Hashable {
  /// How many objects were inserted.
  public internal(set) var insertedCount: Int
  /// How many rows have found an object that existed, or that an earlier row had inserted.
  public internal(set) var matchedCount: Int
  /// The IDs of the objects, row by row; nil unless the request asks for them. They begin at the
  /// first row of this call.
  public internal(set) var objectIDs: [ObjectID]?
  /// How far the batch has come, with the rows of earlier calls that the request skipped.
  public internal(set) var token: BatchToken
}

extension BatchInsertResult {
  /// The result before the first row that a request does not skip.
  init(skipping options: BatchInsertOptions) {
    self.init(
      insertedCount: 0, matchedCount: 0, objectIDs: options.returnsObjectIDs ? [] : nil,
      token: options.token ?? BatchToken(completedCount: 0))
  }

  /// Appends the result of the rows that follow.
  mutating func append(_ next: BatchInsertResult) {
    insertedCount += next.insertedCount
    matchedCount += next.matchedCount
    objectIDs?.append(contentsOf: next.objectIDs ?? [])
    token = next.token
  }
}

// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataPrimitives
import StrataRecord

/// Inserts objects in the store, without making instances or loading them into a context. A few
/// thousand rows are in memory at a time. Core Data: `NSBatchInsertRequest`.
///
///     let cities = BatchInsertRequest(City.self).upserting(on: \.geonameID)
///     try coordinator.execute(cities, rows: lines) { city, line in
///       city.geonameID = line.id
///       city.name = line.name
///     }
///
/// A batch insert is a save of its own. It inserts all rows or none, other readers see all of them
/// or nothing, and they are on the disk when the call returns. It has the effects of inserting the
/// objects in a context and saving:
/// - Rules of the model and uniqueness are checked, derived attributes are calculated, and the
///   inverses of relationships are updated.
/// - Contexts are notified as of any save. Contexts that merge automatically merge the new objects,
///   and fetched lists are updated.
///
/// Some rules are checked at the end of the batch. For these rules it keeps some bytes in memory
/// for each object, if it upserts into an entity with rules or unique values, or if the model has
/// derived attributes.
///
/// It differs from a context's save in two points:
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

  /// The author of the insertion in the store's history. If it is nil, the author is the
  /// `transactionAuthor` of the context that executes the request, if there is one.
  public var transactionAuthor: String? {
    get { options.author }
    set { options.author = newValue }
  }

  /// Inserts objects of an entity. Executing the request throws `ContextError.unknownEntity` if the
  /// entity is abstract.
  public init(_ type: Root.Type = Root.self) { options = BatchInsertOptions(type: type) }

  private func with(_ change: (inout BatchInsertOptions) -> Void) -> BatchInsertRequest {
    var request = self
    change(&request.options)
    return request
  }

  /// Returns the request in which a row updates the existing object with the same value of a unique
  /// attribute, or inserts an object if there is none. An update changes only the properties that
  /// the row sets. A row whose value is nil inserts an object. Several rows with the same value set
  /// the same object.
  ///
  /// Executing the request throws `ContextError.noUniquenessConstraint` if the attribute is not
  /// unique.
  public func upserting<V>(
    on property: ReferenceWritableKeyPath<Root, V> & Sendable
  ) -> BatchInsertRequest {
    with { $0.matching = [property] }
  }

  /// Returns the request in which a row updates the existing object with the same values of
  /// properties that are unique together, or inserts an object if there is none. The properties are
  /// given in any order.
  ///
  /// Executing the request throws `ContextError.noUniquenessConstraint` if the properties are not
  /// unique together.
  public func upserting(
    on properties: (PartialKeyPath<Root> & Sendable)...
  ) -> BatchInsertRequest {
    with { $0.matching = properties }
  }

  /// Returns the request that commits after every `count` rows. Each time it commits a transaction
  /// of its own, which is complete or does not happen. Other saves can run between the
  /// transactions, and the memory of each is bounded. If one fails, the earlier ones stay in the
  /// store, and `BatchInterruption` has the token for `resuming(after:)`.
  ///
  /// - Parameter count: the number of rows in a transaction.
  /// - Precondition: `count` is 1 or more.
  public func committing(every count: Int) -> BatchInsertRequest {
    require(
      count > 0, "BatchInsertRequest.committing(every:) takes 1 row or more, not \(count).")
    return with { $0.commitInterval = count }
  }

  /// Returns the request that skips the rows that were inserted before `token` was made. The rows
  /// must be the same as in the call that made the token.
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
  /// The number of rows in a transaction; nil for one transaction.
  var commitInterval: Int?
  var token: BatchToken?
  var returnsObjectIDs = false
  var author: String?

  init(type: ManagedObject.Type) { self.type = type }

  /// How many rows the batch skips at the beginning.
  @usableFromInline var skipCount: Int { token?.completedCount ?? 0 }
}

/// The result of a batch insert. Core Data: `NSBatchInsertResult`.
public struct BatchInsertResult: Sendable, Hashable {
  /// How many objects were inserted.
  public internal(set) var insertedCount: Int
  /// How many rows matched an existing object, or an object that an earlier row had inserted.
  public internal(set) var matchedCount: Int
  /// The ID of each row's object, in the order of the rows and without the rows that the request
  /// skipped; nil unless the request asks for them.
  public internal(set) var objectIDs: [ObjectID]?
  /// The position of the batch after this call, including the rows that the request skipped.
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

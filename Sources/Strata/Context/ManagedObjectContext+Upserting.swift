// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
public import StrataRecord
import StrataStore

// Finding an object by its unique value, and inserting it if it is missing: for imports.

extension ManagedObjectContext {
  /// The object whose unique attribute has this value, inserted now if it is missing, and updated.
  ///
  /// ```swift
  /// try context.upsert(Country.self, matching: \.iso, equals: "IR") { $0.name = "Iran" }
  /// ```
  ///
  /// It is looked for in this context, in its ancestors' unsaved changes and in the store. Another
  /// context may insert one meanwhile; the save that reaches the store then finds two, and the
  /// merge policy decides which values stay (`MergePolicy`).
  ///
  /// - Parameters:
  ///   - type: the class of the object. It may be left out if the key path begins with it.
  ///   - property: an attribute that is `.unique`, here or in a superentity.
  ///   - value: the value; nil matches nothing, so that an object is inserted.
  ///   - update: sets the other properties. If it throws, a new object stays inserted; call this in
  ///     `withSavepoint { }` to revert it.
  /// - Returns: the object.
  /// - Throws: `ContextError.noUniquenessConstraint` if the attribute is not unique,
  ///   `.unexpectedEntity` if the value belongs to an object of the hierarchy that is not a `T`,
  ///   `.unknownEntity`; `StoreError` if reading fails; the errors of `update`.
  /// - Complexity: O(log objects).
  /// - Precondition: if an object has to be inserted, its entity is not abstract.
  @discardableResult
  public func upsert<T: Entity, V: AttributeValue>(
    _ type: T.Type = T.self, matching property: ReferenceWritableKeyPath<T, V>, equals value: V,
    with update: (T) throws -> Void = { _ in }
  ) throws -> T {
    try upsert(type, matching: UniqueValue(property, equals: value), with: update)
  }

  /// The object whose properties that are unique together have these values, inserted now if it is
  /// missing, and updated. All of the properties must be given, in any order.
  ///
  /// ```swift
  /// try context.upsert(
  ///   City.self, matching: UniqueValue(\.country, equals: iran),
  ///   UniqueValue(\.name, equals: "Rey")
  /// ) { $0.population = 400_000 }
  /// ```
  ///
  /// - Throws: as the other `upsert`.
  @discardableResult
  public func upsert<T: Entity>(
    _ type: T.Type = T.self, matching values: UniqueValue<T>...,
    with update: (T) throws -> Void = { _ in }
  ) throws -> T {
    let constraint = try UniqueConstraint(over: values, of: type, schema)
    let holder = try reader.currentViewIncludingEdits().holder(
      of: constraint.ordered(values), in: constraint.index)
    let object = try holder.flatMap { try loader.presentObject(type, $0) } ?? insert(type, values)
    try update(object)
    return object
  }

  /// Finds or inserts an object for each row of an import, and updates it.
  ///
  /// ```swift
  /// try context.upsert(Country.self, from: rows, matching: \.iso, by: { $0.code }) {
  ///   $0.name = $1.name
  /// }
  /// ```
  ///
  /// The values are sorted and looked for in one pass through the index, before any object is
  /// inserted; rows with one value are one object, updated in their order. So it is much faster
  /// than a call for each row.
  ///
  /// - Parameters:
  ///   - type: the class of the objects. It may be left out if the key path begins with it.
  ///   - rows: the rows to import. `update` is called in their order.
  ///   - property: an attribute that is `.unique`.
  ///   - value: returns a row's value; nil matches nothing.
  ///   - update: sets the other properties of a row's object.
  /// - Returns: the objects' IDs, row by row.
  /// - Throws: as the other `upsert`, and the errors of `value`. Changes for earlier rows stay;
  ///   call this in `withSavepoint { }` to revert them.
  /// - Complexity: O(rows × log rows + rows × log objects).
  @discardableResult
  public func upsert<T: Entity, V: AttributeValue, Rows: Collection>(
    _ type: T.Type = T.self, from rows: Rows, matching property: ReferenceWritableKeyPath<T, V>,
    by value: (Rows.Element) throws -> V, with update: (T, Rows.Element) throws -> Void
  ) throws -> [ObjectID] {
    try upsert(
      type, from: rows, matching: { [UniqueValue(property, equals: try value($0))] }, with: update)
  }

  /// Finds or inserts an object for each row of an import by properties that are unique together:
  /// `values` returns all of them for a row, with the same properties in the same order for each.
  ///
  /// - Precondition: as for the other `upsert`; `values` returns as many values for each row.
  /// - Throws: as the other `upsert`.
  @discardableResult
  public func upsert<T: Entity, Rows: Collection>(
    _ type: T.Type = T.self, from rows: Rows,
    matching values: (Rows.Element) throws -> [UniqueValue<T>],
    with update: (T, Rows.Element) throws -> Void
  ) throws -> [ObjectID] {
    guard let first = rows.first else { return [] }
    let constraint = try UniqueConstraint(over: values(first), of: type, schema)
    var batch = UpsertBatch(constraint.index)
    for row in rows { batch.append(constraint.ordered(try values(row))) }
    try batch.find(in: reader.currentViewIncludingEdits())
    var ids: [ObjectID] = []
    ids.reserveCapacity(rows.count)
    for (position, row) in rows.enumerated() {
      let known = try batch.object(at: position).flatMap { try loader.presentObject(type, $0) }
      let object = try known ?? insert(type, values(row))
      try update(object, row)
      // Afterwards: assigning a new object to a store changes its key.
      if known == nil { batch.setObject(object.key, at: position) }
      ids.append(object.objectID)
    }
    return ids
  }

  private func insert<T: ManagedObject>(_ type: T.Type, _ values: [UniqueValue<T>]) -> T {
    let object = type.init(work.initializerForInsert(type))
    work.didInsert(object)
    for value in values { value.assign(object) }
    return object
  }
}

extension UniqueConstraint {
  /// - Throws: `ContextError.unknownEntity`, `.noUniquenessConstraint`.
  fileprivate init<T: ManagedObject>(
    over values: [UniqueValue<T>], of type: T.Type, _ schema: Schema
  ) throws {
    guard let entity = schema.entity(for: type) else {
      throw ContextError.unknownEntity(String(describing: type))
    }
    try self.init(over: values.lazy.map(\.keyPath), of: entity)
  }
}

extension ObjectLoader {
  /// The object, or nil if it is deleted in the context.
  fileprivate func presentObject<T: ManagedObject>(
    _ type: T.Type, _ key: ObjectKey
  ) throws -> T? {
    guard let object = instance(of: key), object.isPresent else { return nil }
    return try typed(object)
  }
}

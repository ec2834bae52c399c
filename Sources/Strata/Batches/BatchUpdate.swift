// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataStore

/// Makes the parts of a batch update from its objects and assignments.
///
/// ## Isolation
/// As `BatchParts`.
// Safety: one thread at a time uses it, and the store's queue hands it over.
final class BatchUpdate: BatchSource, @unchecked Sendable {
  private let plan: QueryPlan
  private let assignments: AssignmentPlan
  private let schema: Schema
  let commitInterval: Int?
  private var rules: BatchRules

  /// The objects that are not examined yet, ascending by key; nil before the first part.
  private var remaining: ArraySlice<ObjectKey>?
  private var isFirstTransaction = true
  /// The number of objects in the transaction under way.
  private var uncommittedCount = 0
  private var objectCount: Int?
  /// The result so far, including the transaction under way.
  private var tally: BatchUpdateResult
  /// The result of the transactions that are committed.
  private(set) var result: BatchUpdateResult
  var progress: (@Sendable (BatchProgress) -> Void)?

  /// The largest number of objects in a part: their records are in memory together.
  private static let partCountMax = 8_192

  /// - Throws: `ContextError.unknownEntity`, `.foreignObjectID`; `QueryError`.
  init<Root: Entity>(_ request: BatchUpdateRequest<Root>, in schema: Schema) throws {
    guard let entity = schema.entity(for: Root.self) else {
      throw ContextError.unknownEntity(String(describing: Root.self))
    }
    if let last = request.token?.lastObject, !schema.store.has(last) {
      throw ContextError.foreignObjectID(last)
    }
    if request.token?.lastObject != nil, request.objects.limit != nil || request.objects.offset > 0
    {
      throw QueryError.unsupportedExpression("resuming a request with a limit or an offset")
    }
    plan = try QueryPlan(request.objects, entity: entity, schema: schema)
    assignments = try AssignmentPlan(request.assignments, entity: entity, schema: schema)
    self.schema = schema
    commitInterval = request.commitInterval
    rules = BatchRules(schema, changesObjects: true)
    tally = BatchUpdateResult(
      updatedCount: 0, objectIDs: request.returnsObjectIDs ? [] : nil,
      token: request.token ?? BatchToken(completedCount: 0))
    result = tally
  }

  var changesObjects: Bool { true }
  var isFinished: Bool { remaining?.isEmpty ?? false }
  var token: BatchToken { result.token }

  // MARK: - Parts

  func next(_ states: BatchStates) throws -> Segment? {
    if remaining == nil { try find(in: states.before) }
    let count = min(Self.partCountMax, (commitInterval ?? .max) - uncommittedCount)
    guard let keys = remaining?.prefix(count), !keys.isEmpty else { return nil }
    remaining = remaining?.dropFirst(keys.count)
    // The objects of the first transaction were found in the state that it reads.
    let matching =
      isFirstTransaction ? Array(keys) : try plan.matching(Array(keys), in: states.before)
    let part = try part(of: matching, states)
    uncommittedCount += keys.count
    tally.token = BatchToken(
      completedCount: tally.token.completedCount + keys.count,
      lastObject: keys.last.map { ObjectID(store: schema.store, key: $0) })
    progress?(
      BatchProgress(
        completedCount: tally.token.completedCount, objectCount: objectCount, token: token))
    try rules.check(part, over: states.current)
    return part
  }

  func finish(in view: ReadView) throws { try rules.finish(in: view) }

  func didCommit() {
    result = tally
    uncommittedCount = 0
    isFirstTransaction = false
    rules = BatchRules(schema, changesObjects: true)
    progress?(
      BatchProgress(
        completedCount: tally.token.completedCount, objectCount: objectCount, token: token))
  }

  private func find(in before: ReadView) throws {
    let keys = try plan.fetchKeys(in: before)
    if let impostor = try plan.impostor(among: keys, in: before) {
      throw StoreError.damagedIndex(
        naming: impostor, "an index says that the object matches the request, and it does not")
    }
    let last = token.lastObject?.key
    let ascending = keys.sorted().filter { key in last.map { key > $0 } ?? true }
    remaining = ascending[...]
    objectCount = token.completedCount + ascending.count
  }

  private func part(of keys: [ObjectKey], _ states: BatchStates) throws -> Segment {
    var changes = BatchChanges(over: states.current)
    let reader = RowReader(view: states.before)
    let slots = assignments.slots
    var drafts = DraftArena()
    defer { withExtendedLifetime(drafts) {} }
    for key in keys {
      guard let entity = schema.entity(key.entity),
        let record = try states.before.record(of: key)?.record
      else { continue }
      let values = try record.withRow(of: key, entity.layout) {
        try assignments.values(of: $0, reader)
      }
      let draft = Draft.make(entity.layout, base: record, in: &drafts)
      for (slot, value) in values { draft.setValue(value, at: slot) }
      if let slot = draft.refused?.keys.min() { throw entity.unfit(slot) }
      let new = draft.encode(into: &changes.arena)
      guard try changes.update(key, from: new, slots: slots, external: draft.external) else {
        continue
      }
      tally.updatedCount += 1
      tally.objectIDs?.append(ObjectID(store: schema.store, key: key))
    }
    return try changes.finished()
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Makes the parts of a batch insert from its rows.
///
/// A part that only inserts objects, and changes nothing at the other ends of their relationships,
/// is made from the encoded rows directly. Any other part goes through `BatchChanges`.
///
/// ## Isolation
/// As `BatchParts`.
// Safety: one thread at a time uses it, and the store's queue hands it over.
final class BatchInsertion: BatchSource, @unchecked Sendable {
  /// Sets the values of the next row; returns false if there is none.
  typealias Filler = (RowDraft) throws -> Bool

  /// The values of a row, encoded.
  private struct Row {
    let record: Record
    /// The slots whose values differ from a new object's values.
    let changed: SlotSet
    /// The slots that were set.
    let slots: SlotSet
    let external: ExternalValues
    let links: [(slot: Int, target: ObjectKey)]
  }

  private let entity: EntitySchema
  private let schema: Schema
  private let binding: EntityBinding
  private let constraint: IndexSchema?
  private var fill: Filler
  private let isPlain: Bool
  let commitInterval: Int?
  private var rules: BatchRules

  /// The result so far, including the transaction under way.
  private var tally: BatchInsertResult
  /// The result of the transactions that are committed.
  private(set) var result: BatchInsertResult
  /// The number of rows in the transaction under way.
  private var uncommittedRowCount = 0
  private var insertedRows = InsertedRows()
  private(set) var isFinished = false
  var progress: (@Sendable (BatchProgress) -> Void)?

  /// The largest number of rows in a part: their records and drafts are in memory together.
  private static var partCountMax: Int { 8_192 }

  /// - Parameter fill: sets the values of each row after the skipped rows.
  /// - Throws: `ContextError.unknownEntity`, `.noUniquenessConstraint`.
  init(_ options: BatchInsertOptions, in schema: Schema, fill: @escaping Filler) throws {
    guard let entity = schema.entity(for: options.type), !entity.description.isAbstract else {
      throw ContextError.unknownEntity(String(describing: options.type))
    }
    self.entity = entity
    self.schema = schema
    self.fill = fill
    constraint =
      try options.matching.isEmpty
      ? nil : UniqueConstraint(over: options.matching as [AnyKeyPath], of: entity).index
    binding = EntityBinding(context: nil, entity: entity, type: options.type)
    isPlain =
      options.matching.isEmpty
      && !entity.ends.targets.contains { $0.partner != nil || $0.positions != nil }
    commitInterval = options.commitInterval
    rules = BatchRules(schema, changesObjects: !isPlain)
    tally = BatchInsertResult(skipping: options)
    result = tally
  }

  /// Whether objects that exist may change.
  var changesObjects: Bool { !isPlain }

  var token: BatchToken { result.token }
  /// The number of rows that this call has read, including the rows of earlier calls.
  private var rowCount: Int { tally.token.completedCount }

  // MARK: - Parts

  func next(_ states: BatchStates) throws -> Segment? {
    if isFinished || uncommittedRowCount == commitInterval { return nil }
    let countMax = min(Self.partCountMax, (commitInterval ?? .max) - uncommittedRowCount)
    let firstRow = rowCount
    let (filled, haveLinks) = try fillRows(upTo: countMax)
    if filled.isEmpty { return nil }
    let part =
      isPlain && !haveLinks
      ? try plainPart(filled, states) : try relatedPart(filled, firstRow, states)
    uncommittedRowCount += rowCount - firstRow
    progress?(BatchProgress(completedCount: rowCount, objectCount: nil, token: token))
    try attributed { try rules.check(part, over: states.current) }
    return part
  }

  func finish(in view: ReadView) throws { try attributed { try rules.finish(in: view) } }

  func didCommit() {
    result = tally
    uncommittedRowCount = 0
    insertedRows = InsertedRows()
    rules = BatchRules(schema, changesObjects: changesObjects)
    progress?(BatchProgress(completedCount: rowCount, objectCount: nil, token: token))
  }

  /// Releases the closure that fills rows. The store's writer may hold the source for a moment
  /// after the batch is completed, but the closure is valid only until the call returns.
  func close() { fill = { _ in false } }

  private func fillRows(upTo countMax: Int) throws -> (rows: [Row], haveLinks: Bool) {
    var drafts = DraftArena()
    defer { withExtendedLifetime(drafts) {} }
    var arena = RecordArena()
    var rows: [Row] = []
    rows.reserveCapacity(min(countMax, 256))
    var haveLinks = false
    var draft = makeDraft(in: &drafts)
    let row = RowDraft(entity, schema, draft)
    while true {
      do {
        guard try fill(row) else {
          isFinished = true
          break
        }
        if let mistake = row.mistake { throw mistake }
        if let slot = draft.refused?.keys.min() { throw entity.unfit(slot) }
      } catch {
        throw BatchRowError(row: rowCount, underlyingError: error)
      }
      binding.noteNew(draft)
      if !row.links.isEmpty { haveLinks = true }
      rows.append(
        Row(
          record: draft.encode(into: &arena), changed: draft.changed, slots: row.slots,
          external: draft.external, links: row.links))
      tally.token = BatchToken(completedCount: rowCount + 1)
      if rows.count == countMax { break }
      draft = makeDraft(in: &drafts)
      row.begin(draft)
    }
    return (rows, haveLinks)
  }

  private func makeDraft(in drafts: inout DraftArena) -> Draft {
    Draft.make(
      entity.layout, base: binding.template, external: binding.templateExternal,
      heapByteCount: binding.heapByteCountOfNew, in: &drafts)
  }

  /// Makes a part that only inserts objects.
  private func plainPart(_ filled: [Row], _ states: BatchStates) throws -> Segment {
    let serials = try states.takeSerials(filled.count)
    var changes = ChangeTable.Builder(expecting: filled.count)
    for (index, row) in filled.enumerated() {
      let key = ObjectKey(entity: entity.number, serial: serials.lowerBound + UInt64(index))
      changes.append(
        key,
        .insert(
          row.record, slots: row.changed.union(binding.templateSlots), external: row.external))
      note(key)
    }
    insertedRows.append(Array((rowCount - filled.count)..<rowCount), from: serials.lowerBound)
    tally.insertedCount += filled.count
    return Segment(changes: changes.finished(), links: LinkChanges(), schema: schema)
  }

  /// Makes a part whose rows may update existing objects, or change other objects.
  private func relatedPart(
    _ filled: [Row], _ firstRow: Int, _ states: BatchStates
  ) throws -> Segment {
    var changes = BatchChanges(over: states.current)
    let records = filled.map(\.record)
    var matches: UpsertBatch?
    if let constraint { matches = try self.matches(of: records, by: constraint, states.current) }
    let serials = try states.takeSerials(filled.count)
    var rows: [Int] = []
    for (position, row) in filled.enumerated() {
      let key: ObjectKey
      if let match = matches?.object(at: position) {
        guard match.entity == entity.number else {
          throw BatchRowError(row: firstRow + position, underlyingError: unexpected(match))
        }
        key = match
        _ = try changes.update(
          key, from: row.record, slots: row.slots, external: row.external)
        tally.matchedCount += 1
      } else {
        key = ObjectKey(entity: entity.number, serial: serials.lowerBound + UInt64(rows.count))
        try changes.insert(
          key, row.record, slots: row.changed.union(binding.templateSlots),
          external: row.external)
        matches?.setObject(key, at: position)
        rows.append(firstRow + position)
      }
      for (slot, target) in row.links {
        if let relationship = entity.relationships[slot] {
          try changes.link(key, relationship, to: target)
        }
      }
      note(key)
    }
    insertedRows.append(rows, from: serials.lowerBound)
    tally.insertedCount += rows.count
    return try changes.finished()
  }

  private func note(_ key: ObjectKey) {
    tally.objectIDs?.append(ObjectID(store: schema.store, key: key))
  }

  private func matches(
    of records: [Record], by constraint: IndexSchema, _ view: ReadView
  ) throws -> UpsertBatch {
    var batch = UpsertBatch(constraint)
    for record in records {
      batch.append(constraint.values(of: record, entity.layout, store: schema.store))
    }
    try batch.find(in: view)
    return batch
  }

  private func unexpected(_ key: ObjectKey) -> ContextError {
    .unexpectedEntity(
      ObjectID(store: schema.store, key: key), expected: entity.description.name,
      found: schema.entity(key.entity)?.description.name ?? "")
  }

  // MARK: - Errors

  /// Runs `body`, and adds the row's number to an error that concerns a row.
  private func attributed<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw attributed(error) }
  }

  /// The error with the number of the row that it concerns, or the error itself if no row is known.
  func attributed(_ error: any Error) -> any Error {
    let objects: [ObjectID?] =
      switch error {
      case ContextError.validationFailed(let failures): [failures.first?.objectID]
      // Of two rows with the same value, the error names the second.
      case StoreError.uniquenessViolations(let violations):
        [violations.first?.objectID, violations.first?.existing]
      case StoreError.danglingLinks(let links): [links.first?.owner]
      default: []
      }
    guard let row = objects.compactMap({ $0.flatMap(row(of:)) }).max() else { return error }
    return BatchRowError(row: row, underlyingError: error)
  }

  private func row(of object: ObjectID) -> Int? {
    guard object.key.entity == entity.number else { return nil }
    return insertedRows.row(ofSerial: object.key.serial)
  }
}

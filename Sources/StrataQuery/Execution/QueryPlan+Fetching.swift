// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel
package import StrataRecord

extension QueryPlan {
  /// The objects that the request is about, in its order, as `view` shows them: saved and pending in
  /// any layer alike.
  ///
  /// - Throws: what the store throws.
  /// - Complexity: with an index that fits, O(results + skipped entries + pending matches); what the
  ///   offset leaves out is not looked up, unless it has to be asked whether it satisfies the
  ///   predicate. O(objects of the entity) without an index.
  package func fetch(in view: ReadView) throws -> [(key: ObjectKey, record: StoredRecord?)] {
    try FetchSession(self, in: view, into: RecordSink()).run().records
  }

  /// Hands the objects that the request is about to `taker`, in its order, while they are found.
  ///
  /// - Throws: what the store and `taker` throw.
  package func fetch(in view: ReadView, to taker: any FetchTaker) throws {
    try FetchSession(self, in: view, into: ObjectSink(taker)).run()
  }

  /// Calls `visit` with each row of the result, in order, until it says to stop.
  ///
  /// - Parameter reader: what reads slots of the rows, for the request's conditions too.
  func visit(
    in view: ReadView, through reader: RowReader, _ visit: (Row) throws -> ScanStep
  ) throws {
    try withoutActuallyEscaping(visit) { visit in
      _ = try FetchSession(self, in: view, into: VisitSink(visit), reader: reader).run()
    }
  }

  /// How many objects there may be at most, as far as can be told without looking: all if every object
  /// of the entity is a result.
  package func expectedCount(in view: ReadView) throws -> Int {
    guard case .records = access, condition == nil else { return 0 }
    return min(try storedCount(in: view), limit ?? .max)
  }

  /// How many objects of the family the store has.
  func storedCount(in view: ReadView) throws -> Int {
    try family.reduce(0) { $0 + (try view.snapshot.count(of: $1)) }
  }

  /// The keys of the objects that `fetch` would return. A request that indexes answer alone reads no
  /// record at all.
  ///
  /// - Throws: what the store throws.
  package func fetchKeys(in view: ReadView) throws -> [ObjectKey] {
    try FetchSession(forKeys, in: view, into: KeySink()).run().keys
  }

  /// How many rows `fetch` would return. Core Data: `count(for:)`.
  ///
  /// No record is read if indexes answer the predicate, or if there is none; then the store's own
  /// count is corrected by what is pending.
  ///
  /// - Throws: what the store throws.
  package func count(in view: ReadView) throws -> Int {
    if condition == nil { return try countAll(in: view).count }
    return try FetchSession(forCounting, in: view, into: CountSink()).run().count
  }

  /// The store's count and what is pending, and the look-ups that it took.
  private func countAll(in view: ReadView) throws -> (count: Int, reads: ReadCount) {
    var count = try storedCount(in: view)
    var reads = ReadCount()
    for entity in family {
      for (key, change) in view.pendingObjects(of: entity) {
        reads.records += 1
        if try view.snapshot.contains(key) { count -= 1 }
        if change.kind != .delete { count += 1 }
      }
    }
    return (min(max(count - offset, 0), limit ?? .max), reads)
  }

  /// Carries the plan out and says how.
  ///
  /// - Throws: what the store throws.
  package func explanation(
    of answer: QueryExplanation.Answer, in view: ReadView
  ) throws -> QueryExplanation {
    switch answer {
    case .objects: return try explained(answer, in: view, RecordSink())
    case .ids: return try forKeys.explained(answer, in: view, KeySink())
    case .count:
      guard condition == nil else {
        return try forCounting.explained(answer, in: view, CountSink())
      }
      let (count, reads) = try countAll(in: view)
      return QueryExplanation(
        entity: entity.description.name, answer: answer,
        plan: windowed(QueryExplanation.Step(.count, entity.description.name, inputs: [])),
        entriesRead: reads.entries, recordsRead: reads.records, rowsReturned: count)
    }
  }

  private func explained(
    _ answer: QueryExplanation.Answer, in view: ReadView, _ sink: some RowSink
  ) throws -> QueryExplanation {
    let session = FetchSession(self, in: view, into: sink, trace: PlanTrace())
    let rowsReturned = try session.run().count
    return QueryExplanation(
      entity: entity.description.name, answer: answer, plan: session.explained,
      entriesRead: session.reads.entries + session.reader.reads.entries,
      recordsRead: session.reads.records + session.reader.reads.records,
      rowsReturned: rowsReturned)
  }

  /// The step inside a step for the request's window, if the request has one.
  func windowed(_ step: QueryExplanation.Step) -> QueryExplanation.Step {
    var bounds: [String] = []
    if offset > 0 { bounds.append("offset \(offset)") }
    if let limit { bounds.append("limit \(limit)") }
    if bounds.isEmpty { return step }
    return QueryExplanation.Step(.window, bounds.joined(separator: ", "), inputs: [step])
  }
}

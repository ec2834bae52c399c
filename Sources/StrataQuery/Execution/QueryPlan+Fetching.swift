// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel
package import StrataRecord

extension QueryPlan {
  /// Returns the objects of the request, in its order, in the state of `view`, with the saved and
  /// the pending objects of all layers.
  ///
  /// - Throws: errors of the store.
  /// - Complexity: with a fitting index, O(results + skipped entries + pending matches). Objects
  ///   before the offset are not looked up, unless a part of the predicate must be evaluated.
  ///   Without an index, O(objects of the entity).
  package func fetch(in view: ReadView) throws -> [(key: ObjectKey, record: StoredRecord?)] {
    try FetchSession(self, in: view, into: RecordSink()).run().records
  }

  /// Passes the objects of the request to `taker`, in its order, while they are found.
  ///
  /// - Throws: errors of the store and of `taker`.
  package func fetch(in view: ReadView, to taker: any FetchTaker) throws {
    try FetchSession(self, in: view, into: ObjectSink(taker)).run()
  }

  /// Calls `visit` with each row of the result, in order, until `visit` returns `.stop`.
  ///
  /// - Parameter reader: the reader of the rows' slots, also for the request's conditions.
  func visit(
    in view: ReadView, through reader: RowReader, _ trace: RowTrace? = nil,
    _ visit: (Row) throws -> ScanStep
  ) throws {
    try withoutActuallyEscaping(visit) { visit in
      let session = FetchSession(
        self, in: view, into: VisitSink(visit), reader: reader,
        trace: trace.map { _ in PlanTrace() })
      try session.run()
      trace?.end(session.explained, session.reads + reader.reads)
    }
  }

  /// Returns the maximum number of results if it is known without reading entries, which requires
  /// that every object of the entity is a result; else 0.
  package func expectedCount(in view: ReadView) throws -> Int {
    guard case .records = access, condition == nil else { return 0 }
    return min(try storedCount(in: view), limit ?? .max)
  }

  /// The maximum number of candidates to look up. For more than one in eight objects, walking the
  /// records is faster than looking up candidates. Up to 256 candidates are always looked up.
  func lookupCountMax(in view: ReadView) throws -> Int {
    max(256, try storedCount(in: view) / 8)
  }

  /// Returns the number of objects of the family in the store.
  func storedCount(in view: ReadView) throws -> Int {
    try family.reduce(0) { $0 + (try view.snapshot.count(of: $1)) }
  }

  /// Returns the keys of the objects that `fetch` would return. No record is read if indexes answer
  /// the whole request.
  ///
  /// - Throws: errors of the store.
  package func fetchKeys(in view: ReadView) throws -> [ObjectKey] {
    try FetchSession(forKeys, in: view, into: KeySink()).run().keys
  }

  /// Returns the number of objects that `fetch` would return. Core Data: `count(for:)`.
  ///
  /// No record is read if indexes answer the predicate. Without a predicate, the store's count is
  /// corrected by the pending changes.
  ///
  /// - Throws: errors of the store.
  package func count(in view: ReadView) throws -> Int {
    if condition == nil { return try countAll(in: view).count }
    return try FetchSession(forCounting, in: view, into: CountSink()).run().count
  }

  /// Returns the store's count with the pending changes, and the look-ups that this took.
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

  /// Executes the plan and returns its explanation.
  ///
  /// - Throws: errors of the store.
  package func explanation(
    of answer: QueryExplanation.Answer, in view: ReadView
  ) throws -> QueryExplanation {
    switch answer {
    case .objects, .rows: return try explained(answer, in: view, RecordSink())
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

  /// Returns the step inside of a step for the request's window, if the request has a window.
  func windowed(_ step: QueryExplanation.Step) -> QueryExplanation.Step {
    let bounds = bounds
    if bounds.isEmpty { return step }
    return QueryExplanation.Step(.window, bounds.joined(separator: ", "), inputs: [step])
  }
}

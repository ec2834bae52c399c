// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// One execution of a plan on one read view, with results into a sink.
///
/// The class is generic over any sink, and its methods over `RowSink`: `OrderedTable` says what the
/// runtime would do for a class that is generic over a protocol.
///
/// Other files find objects: indexes in the order of the request (`+Order`), sources of keys
/// (`+Sources`), and the records (`+Records`). This file processes each object that is found.
///
/// ## Isolation
/// It belongs to the fetching context during one fetch.
final class FetchSession<Sink> {
  let plan: QueryPlan
  let view: ReadView
  /// The log of the execution; nil unless the request is explained.
  let trace: PlanTrace?

  let reader: RowReader
  let family: EntityFamily
  /// The layout of the records, if the family is only one entity.
  private let onlyLayout: RecordLayout?
  /// Whether a part of the predicate must be evaluated even for objects with certain entries.
  private let hasFilter: Bool
  // Safety: `@exclusivity(unchecked)` saves several run-time checks per row. A session belongs to
  // one fetch, and no access to these properties runs code that could access the session again.
  @exclusivity(unchecked)
  var sink: Sink
  @exclusivity(unchecked)
  var window: Window
  @exclusivity(unchecked)
  var reads = ReadCount()
  /// The executed access of the plan, for the explanation.
  var accessStep: QueryExplanation.Step?
  /// The next objects of the result. Their records are not read yet.
  @exclusivity(unchecked)
  private var taken: [ObjectKey] = []

  /// - Parameter reader: the reader of the rows' slots, also for the request's conditions.
  init(
    _ plan: QueryPlan, in view: ReadView, into sink: Sink, reader: RowReader? = nil,
    trace: PlanTrace? = nil
  ) {
    self.plan = plan
    self.view = view
    self.sink = sink
    self.trace = trace
    self.reader = reader ?? RowReader(view: view)
    family = EntityFamily(plan.family)
    onlyLayout = family.only.flatMap { view.schema.layout(of: $0) }
    hasFilter = plan.filter != nil
    window = Window(offset: plan.offset, limit: plan.limit)
  }
}

extension FetchSession where Sink: RowSink {
  /// Executes the plan.
  ///
  /// - Returns: the sink with the result.
  @discardableResult
  func run() throws -> Sink {
    if try window.isFull || countBlocks() { return sink }
    switch plan.access {
    case .records: try readRecords()
    case .inOrder(let order): try read(order)
    case .source(let source): try read(source)
    }
    return sink
  }

  // MARK: - Results

  /// Adds an object to the result, with its row if the sink reads records.
  func add(_ key: ObjectKey, _ row: Row?) throws {
    if try sink.take(key, row) == .stop { window.close() }
  }

  /// Adds an object to the result.
  ///
  /// - Parameter known: the object's record; if nil, the record is read if the sink needs it.
  func add(_ key: ObjectKey, known: StoredRecord? = nil) throws {
    guard Sink.readsRecords, let stored = try known ?? find(key), let layout = layout(of: key)
    else { return try add(key, nil as Row?) }
    try stored.record.withRow(of: key, layout, generation: stored.generation) { try add(key, $0) }
  }

  /// Adds an object that needs no evaluation to the result, if it is in the window. `readTaken`
  /// reads its record later, so that a walk over an index is not interrupted at each entry.
  @inline(__always)
  func take(_ key: ObjectKey) throws -> ScanStep {
    if window.takes() {
      if Sink.readsRecords {
        if taken.isEmpty { taken.reserveCapacity(expectedCount) }
        taken.append(key)
      } else {
        if sink.count == 0 { sink.expect(expectedCount) }
        try add(key, nil as Row?)
      }
    }
    return window.isFull ? .stop : .more
  }

  /// The number of results for which memory is reserved at first.
  private var expectedCount: Int { min(window.remaining, 32) + 1 }

  /// Reads the records of the taken objects. This happens before any other object is added to the
  /// result.
  func readTaken() throws {
    if taken.isEmpty { return }
    let keys = taken
    taken = []
    reads.records += keys.count
    sink.expect(keys.count)
    try view.visit(keys) { try add($0, $1) }
  }

  /// Adds a candidate to the result, if it satisfies the conditions that remain and is in the
  /// window.
  ///
  /// - Parameter isCertain: false if the whole predicate must be evaluated.
  func admit(_ key: ObjectKey, isCertain: Bool) throws -> ScanStep {
    guard let filter = isCertain ? plan.filter : plan.condition else {
      if window.takes() { try add(key) }
      return window.isFull ? .stop : .more
    }
    try withRow(of: key) { row in
      if try filter.isTrue(of: row, reader), window.takes() { try add(key, row) }
    }
    return window.isFull ? .stop : .more
  }

  // MARK: - One object

  /// Returns the object's record in the view; nil for an index entry of an object that does not
  /// exist.
  private func find(_ key: ObjectKey) throws -> StoredRecord? {
    reads.records += 1
    return try view.record(of: key)
  }

  /// Looks up an object and calls `body` with it if it exists.
  func withRow(of key: ObjectKey, _ body: (Row) throws -> Void) throws {
    guard let stored = try find(key), let layout = layout(of: key) else { return }
    try stored.record.withRow(of: key, layout, generation: stored.generation, body)
  }

  private func layout(of key: ObjectKey) -> RecordLayout? {
    if let only = family.only, key.entity == only { return onlyLayout }
    return view.schema.layout(of: key.entity)
  }

  func lookupCountMax() throws -> Int { try plan.lookupCountMax(in: view) }

  // MARK: - Sorting

  /// Creates a sorter for all candidates. No object has been added to the result before.
  func makeSorter(keepsRecords: Bool = true) -> RowSorter {
    RowSorter(
      by: plan.sort, bound: plan.limit == nil ? nil : window.wanted,
      keepsRecords: keepsRecords && Sink.keepsRecords)
  }

  /// Looks up candidates and adds those that satisfy the conditions that remain. The sorter copies
  /// only the records of rows that are among the best so far.
  ///
  /// - Parameter isCertain: false for an object if the whole predicate must be evaluated.
  func add(
    _ keys: [ObjectKey], to sorter: inout RowSorter, isCertain: (ObjectKey) -> Bool
  ) throws {
    reads.records += keys.count
    try view.visit(keys) { key, row in
      guard let row, try isTrue(of: row, isCertain: isCertain(key)) else { return }
      try sorter.add(row, reader)
    }
  }

  /// Whether an object satisfies the conditions that remain.
  ///
  /// - Parameter isCertain: false if the whole predicate must be evaluated.
  @inline(__always)
  func isTrue(of row: Row, isCertain: Bool) throws -> Bool {
    if isCertain, !hasFilter { return true }
    return try isTrue(isCertain ? plan.filter : plan.condition, of: row)
  }

  // Not inlined: copying a condition takes longer than testing it for nil.
  @inline(never)
  func isTrue(_ condition: (any Condition)?, of row: Row) throws -> Bool {
    try condition?.isTrue(of: row, reader) ?? true
  }

  func addWindow(of sorter: inout RowSorter) throws {
    for (key, record) in sorter.sorted() where window.takes() { try add(key, known: record) }
  }

  // MARK: - Explaining

  /// The steps of the execution, for an explanation.
  var explained: QueryExplanation.Step {
    var step =
      accessStep ?? QueryExplanation.Step(.records, "none", .skipped, inputs: [])
    let filter = step.kind == .records ? plan.condition : plan.filter
    if let filter, step.outcome == .done {
      step = QueryExplanation.Step(.filter, "\(filter)", inputs: [step])
    }
    var sort = plan.sort[...]
    if case .inOrder(let order) = plan.access, step.kind != .records {
      sort = plan.sort.dropFirst(order.keyCount)
    }
    if !sort.isEmpty {
      let keys = sort.map(\.description).joined(separator: ", ")
      let kind: QueryExplanation.Kind = plan.limit == nil ? .sort : .best
      step = QueryExplanation.Step(kind, keys, inputs: [step])
    }
    return plan.windowed(step)
  }
}

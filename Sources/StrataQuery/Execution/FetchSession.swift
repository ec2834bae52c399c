// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// One run of a plan over one read view, into a sink.
///
/// What finds objects is in other files: indexes in the order of the request (`+Order`), sources of keys
/// (`+Sources`), the records themselves (`+Records`). Here is what becomes of each object that is
/// found.
///
/// ## Isolation
/// Belongs to the context that fetches, for the length of a fetch.
final class FetchSession<Sink: RowSink> {
  let plan: QueryPlan
  let view: ReadView
  /// Notes how the plan is carried out; nil unless it is explained.
  let trace: PlanTrace?

  let reader: RowReader
  /// The only entity whose objects are results; nil if there are several.
  private let onlyEntity: EntityNumber?
  /// How its records are laid out.
  private let onlyLayout: RecordLayout?
  /// Whether anything is left to ask of objects that the access is certain of.
  private let hasFilter: Bool
  // Safety: `@exclusivity(unchecked)` spares each row several run-time checks. A session is of one
  // fetch, and no access to these runs code that could reach the session again.
  @exclusivity(unchecked)
  var sink: Sink
  @exclusivity(unchecked)
  var window: Window
  @exclusivity(unchecked)
  var reads = ReadCount()
  /// How the plan's access turned out, for the trace.
  var accessStep: QueryExplanation.Step?
  /// Objects that are part of the result next, whose records have to be read yet.
  @exclusivity(unchecked)
  private var taken: [ObjectKey] = []

  /// - Parameter reader: what reads slots of the rows, for the request's conditions too.
  init(
    _ plan: QueryPlan, in view: ReadView, into sink: Sink, reader: RowReader? = nil,
    trace: PlanTrace? = nil
  ) {
    self.plan = plan
    self.view = view
    self.sink = sink
    self.trace = trace
    self.reader = reader ?? RowReader(view: view)
    onlyEntity = plan.family.count == 1 ? plan.family[0] : nil
    onlyLayout = onlyEntity.flatMap { view.schema.layout(of: $0) }
    hasFilter = plan.filter != nil
    window = Window(offset: plan.offset, limit: plan.limit)
  }

  /// Carries the plan out.
  ///
  /// - Returns: the sink, which has the result.
  @discardableResult
  func run() throws -> Sink {
    if window.isFull { return sink }
    switch plan.access {
    case .records: try readRecords()
    case .inOrder(let order): try read(order)
    case .source(let source): try read(source)
    }
    return sink
  }

  // MARK: - Results

  /// Makes an object part of the result whose bytes lie here, or whose key is enough.
  func add(_ key: ObjectKey, _ row: Row?) throws {
    if try sink.take(key, row) == .stop { window.close() }
  }

  /// Makes an object part of the result.
  ///
  /// - Parameter known: its record, if it has been read; else it is read if the sink wants it.
  func add(_ key: ObjectKey, known: StoredRecord? = nil) throws {
    guard Sink.readsRecords, let stored = try known ?? find(key), let layout = layout(of: key)
    else { return try add(key, nil as Row?) }
    try stored.record.withRow(of: key, layout, generation: stored.generation) { try add(key, $0) }
  }

  /// Makes an object part of the result, of which nothing is left to ask, if it is wanted. Its record is
  /// read by `readTaken`, so that a walk over an index is not interrupted at each entry.
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

  /// How many results room is made for at first.
  private var expectedCount: Int { min(window.remaining, 32) + 1 }

  /// Reads the records of what was taken. Nothing else becomes part of the result before.
  func readTaken() throws {
    if taken.isEmpty { return }
    let keys = taken
    taken = []
    reads.records += keys.count
    sink.expect(keys.count)
    try view.visit(keys) { try add($0, $1) }
  }

  /// Makes a candidate a result, if it satisfies what is left to ask and is wanted.
  ///
  /// - Parameter isCertain: false if the whole predicate has to be asked.
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

  /// The object's record as the view shows it; nil for an entry whose object is gone.
  private func find(_ key: ObjectKey) throws -> StoredRecord? {
    reads.records += 1
    return try view.record(of: key)
  }

  /// Looks an object up and calls `body` with it, if it is there.
  func withRow(of key: ObjectKey, _ body: (Row) throws -> Void) throws {
    guard let stored = try find(key), let layout = layout(of: key) else { return }
    try stored.record.withRow(of: key, layout, generation: stored.generation, body)
  }

  private func layout(of key: ObjectKey) -> RecordLayout? {
    if let onlyEntity, key.entity == onlyEntity { return onlyLayout }
    return view.schema.layout(of: key.entity)
  }

  @inline(__always)
  func isInFamily(_ key: ObjectKey) -> Bool {
    if let onlyEntity { return key.entity == onlyEntity }
    return plan.family.contains(key.entity)
  }

  /// How many candidates are looked up at most: of more than one in eight objects, walking the records
  /// is faster than looking candidates up one by one. Up to 256 are always looked up.
  func lookupCountMax() throws -> Int { max(256, try plan.storedCount(in: view) / 8) }

  // MARK: - Sorting

  /// A sorter for all candidates, of which nothing has become part of the result before.
  func makeSorter(keepsRecords: Bool = true) -> RowSorter {
    RowSorter(
      by: plan.sort, bound: plan.limit == nil ? nil : window.wanted,
      keepsRecords: keepsRecords && Sink.keepsRecords)
  }

  /// Looks candidates up and adds those that satisfy what is left to ask. Their records are copied only if
  /// they are among the best so far.
  ///
  /// - Parameter isCertain: false if the whole predicate has to be asked of an object.
  func add(
    _ keys: [ObjectKey], to sorter: inout RowSorter, isCertain: (ObjectKey) -> Bool
  ) throws {
    reads.records += keys.count
    try view.visit(keys) { key, row in
      guard let row, try isTrue(of: row, isCertain: isCertain(key)) else { return }
      sorter.add(row)
    }
  }

  /// Whether an object satisfies what is left to ask of it.
  ///
  /// - Parameter isCertain: false if the whole predicate has to be asked.
  @inline(__always)
  private func isTrue(of row: Row, isCertain: Bool) throws -> Bool {
    if isCertain, !hasFilter { return true }
    return try isTrue(isCertain ? plan.filter : plan.condition, of: row)
  }

  // Not inlined: to copy a condition takes longer than to find out that there is none.
  @inline(never)
  private func isTrue(_ condition: (any Condition)?, of row: Row) throws -> Bool {
    try condition?.isTrue(of: row, reader) ?? true
  }

  func addWindow(of sorter: inout RowSorter) throws {
    for (key, record) in sorter.sorted() where window.takes() { try add(key, known: record) }
  }

  // MARK: - Explaining

  /// How the plan was carried out.
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

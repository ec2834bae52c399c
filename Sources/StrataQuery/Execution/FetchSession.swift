// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// One run of a plan over one read view.
///
/// What finds objects is in other files: indexes in the order of the request (`+Order`), sources of keys
/// (`+Sources`), the records themselves (`+Records`). Here is what becomes of each object that is
/// found.
///
/// ## Isolation
/// Belongs to the context that fetches, for the length of a fetch.
final class FetchSession {
  let plan: QueryPlan
  let view: ReadView
  let demand: FetchDemand
  /// Whether the results are only counted.
  let isCounting: Bool
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
  var arena = RecordArena()
  @exclusivity(unchecked)
  var window: Window
  @exclusivity(unchecked)
  var reads = ReadCount()
  /// How the plan's access turned out, for the trace.
  var accessStep: QueryExplanation.Step?
  /// The result, if records are kept.
  @exclusivity(unchecked)
  private var rows: [FetchedRow] = []
  /// The result, if keys alone are wanted: a quarter of the memory.
  @exclusivity(unchecked)
  private var keys: [ObjectKey] = []
  @exclusivity(unchecked)
  private(set) var count = 0
  /// Objects that are part of the result next, whose records have to be read yet.
  @exclusivity(unchecked)
  private var taken: [ObjectKey] = []

  /// More candidates than one in this many objects, and walking the records is faster than looking
  /// candidates up one by one.
  private static let lookupShare = 8
  /// So few candidates are always looked up.
  private static let lookupCountMin = 256

  private init(
    plan: QueryPlan, view: ReadView, demand: FetchDemand, isCounting: Bool = false,
    trace: PlanTrace? = nil, reader: RowReader? = nil
  ) {
    self.plan = plan
    self.view = view
    self.demand = demand
    self.isCounting = isCounting
    self.trace = trace
    self.reader = reader ?? RowReader(view: view)
    onlyEntity = plan.family.count == 1 ? plan.family[0] : nil
    onlyLayout = onlyEntity.flatMap { view.schema.entity($0)?.layout }
    hasFilter = plan.filter != nil
    window = Window(offset: plan.offset, limit: plan.limit)
  }

  /// The rows of the result, in order, with their records.
  static func rows(of plan: QueryPlan, in view: ReadView) throws -> [FetchedRow] {
    let session = FetchSession(plan: plan, view: view, demand: .records)
    try session.run()
    return session.rows
  }

  /// Hands the objects of the result to `taker`, in order.
  static func objects(of plan: QueryPlan, in view: ReadView, to taker: any FetchTaker) throws {
    try FetchSession(plan: plan, view: view, demand: .objects(taker)).run()
  }

  /// The keys of the result, in order.
  static func keys(of plan: QueryPlan, in view: ReadView) throws -> [ObjectKey] {
    let session = FetchSession(plan: plan, view: view, demand: .keys)
    try session.run()
    return session.keys
  }

  /// How many objects the result has.
  static func count(of plan: QueryPlan, in view: ReadView) throws -> Int {
    let session = FetchSession(plan: plan, view: view, demand: .keys, isCounting: true)
    try session.run()
    return session.count
  }

  /// Calls `visit` with each row of the result, in order, until it says to stop.
  ///
  /// - Parameter reader: what reads slots of the rows, for the request's conditions too.
  static func visit(
    _ plan: QueryPlan, in view: ReadView, through reader: RowReader, _ visit: FetchDemand.Visit
  ) throws {
    try withoutActuallyEscaping(visit) { visit in
      try FetchSession(plan: plan, view: view, demand: .visit(visit), reader: reader).run()
    }
  }

  /// Carries the plan out and says how.
  static func explanation(
    of plan: QueryPlan, _ answer: QueryExplanation.Answer, in view: ReadView
  ) throws -> QueryExplanation {
    let session = FetchSession(
      plan: plan, view: view, demand: answer == .objects ? .records : .keys,
      isCounting: answer == .count, trace: PlanTrace())
    try session.run()
    return QueryExplanation(
      entity: plan.entity.description.name, answer: answer, plan: session.explained(),
      reads: ReadCount(
        entries: session.reads.entries + session.reader.reads.entries,
        records: session.reads.records + session.reader.reads.records),
      rowsReturned: max(session.rows.count, session.keys.count, session.count))
  }

  private func run() throws {
    if window.isFull { return }
    switch plan.access {
    case .records: try readRecords()
    case .inOrder(let order): try read(order)
    case .source(let source): try read(source)
    }
  }

  // MARK: - Results

  /// Makes an object part of the result.
  func add(_ key: ObjectKey, _ record: @autoclosure () throws -> StoredRecord?) throws {
    if isCounting {
      count += 1
      return
    }
    switch demand {
    case .keys: keys.append(key)
    case .records: rows.append(FetchedRow(key: key, record: try record()))
    case .objects(let taker): try taker.take(key, record())
    case .visit(let visit):
      // A record that a sort did not have to keep is read again.
      guard let stored = try record() ?? find(key), let layout = layout(of: key) else { return }
      try stored.record.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        try hand(Row(key: key, start: start, layout: layout), to: visit)
      }
    }
  }

  /// Makes an object part of the result, of which nothing is left to ask, if it is wanted. Its record is
  /// read by `readTaken`, so that a walk over an index is not interrupted at each entry.
  @inline(__always)
  func take(_ key: ObjectKey) -> ScanStep {
    if window.takes() {
      if isCounting {
        count += 1
      } else if demand.readsRecords {
        if taken.isEmpty { taken.reserveCapacity(expectedCount) }
        taken.append(key)
      } else {
        if keys.isEmpty { keys.reserveCapacity(expectedCount) }
        keys.append(key)
      }
    }
    return window.isFull ? .stop : .more
  }

  /// Room is made for so many results at first.
  private var expectedCount: Int { min(window.remaining, 32) + 1 }

  /// Reads the records of what was taken. Nothing else becomes part of the result before.
  func readTaken() throws {
    if taken.isEmpty { return }
    let keys = taken
    taken = []
    reads.records += keys.count
    if case .objects(let taker) = demand {
      taker.expect(keys.count)
      try view.visit(
        keys, stored: { try taker.take($0, generation: $1, copying: $2) },
        pending: { try taker.take($0, $1) })
    } else {
      // An entry whose object is gone has no record.
      try view.visit(keys, stored: { try add($0, kept($2, $1)) }, pending: { try add($0, $1) })
    }
  }

  /// Makes an object part of the result whose bytes lie here.
  func add(_ visited: ReadView.Visited, _ row: Row) throws {
    switch demand {
    case .visit(let visit): try hand(row, to: visit)
    case .objects(let taker) where visited.record == nil:
      try taker.take(row.key, generation: visited.generation, copying: visited.bytes)
    case .keys, .records, .objects: try add(row.key, keep(visited))
    }
  }

  private func hand(_ row: Row, to visit: FetchDemand.Visit) throws {
    if try visit(row) == .stop { window.close() }
  }

  /// Makes the next `found` objects part of a count, as far as the window goes.
  func count(_ found: Int) {
    let wanted = max(found - window.toSkip, 0)
    count = min(wanted, window.remaining)
    if count == window.remaining { window.close() }
  }

  /// Makes a candidate a result, if it satisfies what is left to ask and is wanted.
  ///
  /// - Parameter isCertain: false if the whole predicate has to be asked.
  func admit(_ key: ObjectKey, isCertain: Bool) throws -> ScanStep {
    guard let filter = isCertain ? plan.filter : plan.condition else {
      if window.takes() { try add(key, find(key)) }
      return window.isFull ? .stop : .more
    }
    guard let stored = try find(key), let layout = layout(of: key) else { return .more }
    let isTrue = try stored.record.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return try filter.isTrue(of: Row(key: key, start: start, layout: layout), reader)
    }
    if isTrue, window.takes() { try add(key, stored) }
    return window.isFull ? .stop : .more
  }

  // MARK: - One object

  /// The object's record as the view shows it; nil for an entry whose object is gone.
  func find(_ key: ObjectKey) throws -> StoredRecord? {
    reads.records += 1
    guard case .record(let stored) = try view.find(key) else { return nil }
    return stored
  }

  func layout(of key: ObjectKey) -> RecordLayout? {
    if let onlyEntity, key.entity == onlyEntity { return onlyLayout }
    return view.schema.layout(of: key.entity)
  }

  @inline(__always)
  func isInFamily(_ key: ObjectKey) -> Bool {
    if let onlyEntity { return key.entity == onlyEntity }
    return plan.family.contains(key.entity)
  }

  func keep(_ visited: ReadView.Visited) -> StoredRecord {
    StoredRecord(
      record: visited.record ?? arena.append(copying: visited.bytes),
      generation: visited.generation)
  }

  /// How many candidates are looked up at most.
  func lookupCountMax() throws -> Int {
    var count = 0
    for entity in plan.family { count += try view.snapshot.count(of: entity) }
    return max(Self.lookupCountMin, count / Self.lookupShare)
  }

  // MARK: - Sorting

  func makeSorter() -> RowSorter {
    RowSorter(by: plan.sort, bound: plan.limit.map { plan.offset.addingClamped($0) })
  }

  /// Looks candidates up and adds those that satisfy what is left to ask. Their records are copied only if
  /// they are among the best so far.
  ///
  /// - Parameter isCertain: false if the whole predicate has to be asked of an object.
  func add(
    _ keys: [ObjectKey], to sorter: inout RowSorter, isCertain: (ObjectKey) -> Bool
  ) throws {
    let keepsRecord = demand.keepsRecords
    reads.records += keys.count
    try view.visit(
      keys,
      stored: { key, generation, bytes in
        guard let row = row(of: key, bytes), try isTrue(of: row, isCertain: isCertain(key)) else {
          return
        }
        sorter.add(row, keepsRecord: keepsRecord) { kept(bytes, generation) }
      },
      pending: { key, stored in
        try stored?.record.withUnsafeBytes { bytes in
          guard let stored, let row = row(of: key, bytes),
            try isTrue(of: row, isCertain: isCertain(key))
          else { return }
          sorter.add(row, keepsRecord: keepsRecord) { stored }
        }
      })
  }

  private func row(of key: ObjectKey, _ bytes: UnsafeRawBufferPointer) -> Row? {
    guard let start = bytes.baseAddress, let layout = layout(of: key) else { return nil }
    return Row(key: key, start: start, layout: layout)
  }

  /// A record whose bytes lie in the store.
  private func kept(_ bytes: UnsafeRawBufferPointer, _ generation: UInt64) -> StoredRecord {
    StoredRecord(record: arena.append(copying: bytes), generation: generation)
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
    for row in sorter.sorted() where window.takes() {
      try add(row.key, row.record ?? find(row.key))
    }
  }

  // MARK: - Explaining

  private func explained() -> QueryExplanation.Step {
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

extension Int {
  /// The sum, or the greatest integer if it is larger.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, didOverflow) = addingReportingOverflow(other)
    return didOverflow ? .max : sum
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// One run of a plan over one read view.
///
/// ## Isolation
/// Belongs to the context that fetches, for the length of a fetch.
final class FetchSession {
  let plan: QueryPlan
  let view: ReadView
  private let demand: FetchDemand

  private let reader: RowReader
  private var arena = RecordArena()
  private var window: Window
  /// The result, if records are kept.
  private var rows: [FetchedRow] = []
  /// The result, if keys alone are wanted: a quarter of the memory.
  private var keys: [ObjectKey] = []

  /// More candidates than one in this many objects, and walking the records is faster than looking
  /// candidates up one by one.
  private static let lookupShare = 8
  /// So few candidates are always looked up.
  private static let lookupCountMin = 256

  init(plan: QueryPlan, view: ReadView, demand: FetchDemand) {
    self.plan = plan
    self.view = view
    self.demand = demand
    reader = RowReader(view: view)
    window = Window(offset: plan.offset, limit: plan.limit)
  }

  /// The rows of the result, in order, with their records.
  static func rows(of plan: QueryPlan, in view: ReadView) throws -> [FetchedRow] {
    let session = FetchSession(plan: plan, view: view, demand: .records)
    try session.run()
    return session.rows
  }

  /// The keys of the result, in order.
  static func keys(of plan: QueryPlan, in view: ReadView) throws -> [ObjectKey] {
    let session = FetchSession(plan: plan, view: view, demand: .keys)
    try session.run()
    return session.keys
  }

  /// Calls `visit` with each row of the result, in order, until it says to stop.
  static func visit(_ plan: QueryPlan, in view: ReadView, _ visit: FetchDemand.Visit) throws {
    try withoutActuallyEscaping(visit) { visit in
      try FetchSession(plan: plan, view: view, demand: .visit(visit)).run()
    }
  }

  private func run() throws {
    if window.isFull { return }
    switch (plan.access, plan.ordering) {
    case (.index(let index, let stretch), .byIndex(let isReversed)):
      if let ranges = try rangesInOrder(index, stretch.ranges) {
        try walk(index, ranges, isReversed: isReversed)
      } else {
        try sort(index, stretch.ranges)
      }
    case (.index(let index, let stretch), .sorting): try sort(index, stretch.ranges)
    case (.index(let index, let stretch), _):
      let needsRecords = plan.filter != nil || demand.readsRecords
      if let keys = try candidates(index, stretch.ranges, isBounded: needsRecords) {
        for key in keys.sorted() where try admit(key) == .stop { break }
      } else {
        try walkRecords()
      }
    case (.records, .sorting): try sortRecords()
    case (.records, _): try walkRecords()
    }
  }

  /// Makes an object part of the result.
  private func add(_ key: ObjectKey, _ record: @autoclosure () throws -> StoredRecord?) throws {
    switch demand {
    case .keys: keys.append(key)
    case .records: rows.append(FetchedRow(key: key, record: try record()))
    case .visit(let visit):
      // A record that a sort did not have to keep is read again.
      guard let stored = try record() ?? find(key), let layout = layout(of: key) else { return }
      try stored.record.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        try hand(Row(key: key, start: start, layout: layout), to: visit)
      }
    }
  }

  /// Makes an object part of the result whose bytes lie here.
  private func add(_ visited: ReadView.Visited, _ row: Row) throws {
    guard case .visit(let visit) = demand else { return try add(row.key, keep(visited)) }
    try hand(row, to: visit)
  }

  private func hand(_ row: Row, to visit: FetchDemand.Visit) throws {
    if try visit(row, reader) == .stop { window.close() }
  }

  // MARK: - In the order of an index

  /// The stretches to walk so that entries come in the order of the first sort key; nil if they do
  /// not, because an object's absent value reads as one that belongs further in.
  private func rangesInOrder(_ index: IndexSchema, _ ranges: KeyRanges) throws -> KeyRanges? {
    guard let first = plan.sort.first, first.readsAbsentAsValue else { return ranges }
    var hasAbsent = false
    for range in ranges.intersection(.absent(index.kind)).ranges {
      try view.walkIndex(index.number, in: range, isReversed: false) { _, _ in
        hasAbsent = true
        return .stop
      }
    }
    return hasAbsent ? nil : ranges.intersection(.present(index.kind))
  }

  private func walk(_ index: IndexSchema, _ ranges: KeyRanges, isReversed: Bool) throws {
    var group = IndexGroup()
    let isGrouped = isReversed || plan.sort.count > 1
    for range in isReversed ? ranges.ranges.reversed() : ranges.ranges {
      try view.walkIndex(index.number, in: range, isReversed: isReversed) { entry, key in
        guard isInFamily(key) else { return .more }
        let value = UnsafeRawBufferPointer(
          rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount))
        if !group.isEmpty, !group.has(value), try close(&group) == .stop { return .stop }
        // A value that was cut shares its bytes with others, whatever their order.
        guard isGrouped || value.count >= KeyEncoder.valueByteCountMax else {
          return try admit(key)
        }
        group.append(key, value)
        return .more
      }
      if try close(&group) == .stop { return }
    }
  }

  /// Admits the objects of a group in the order of the remaining sort keys, then of their keys.
  private func close(_ group: inout IndexGroup) throws -> ScanStep {
    let keys = group.keys.sorted()
    let isCut = group.isCut
    group.removeAll()
    guard !keys.isEmpty, isCut || plan.sort.count > 1 else {
      for key in keys where try admit(key) == .stop { return .stop }
      return window.isFull ? .stop : .more
    }
    var sorter = RowSorter(by: plan.sort, bound: nil)
    for key in keys { try add(key, to: &sorter) }
    for row in sorter.sorted() where window.takes() { try add(row.key, row.record) }
    return window.isFull ? .stop : .more
  }

  // MARK: - Candidates

  /// The keys of all objects in `ranges`, in the order of the index; nil if `isBounded` and there are
  /// so many that a walk over the records is faster.
  private func candidates(
    _ index: IndexSchema, _ ranges: KeyRanges, isBounded: Bool
  ) throws -> [ObjectKey]? {
    var keys: [ObjectKey] = []
    let most = isBounded ? try lookupCountMax() : .max
    for range in ranges.ranges {
      try view.walkIndex(index.number, in: range, isReversed: false) { _, key in
        if isInFamily(key) { keys.append(key) }
        return keys.count > most ? .stop : .more
      }
      if keys.count > most { return nil }
    }
    return keys
  }

  private func lookupCountMax() throws -> Int {
    var count = 0
    for entity in plan.family { count += try view.snapshot.count(of: entity) }
    return max(Self.lookupCountMin, count / Self.lookupShare)
  }

  private func isInFamily(_ key: ObjectKey) -> Bool {
    plan.family.count == 1 ? key.entity == plan.family[0] : plan.family.contains(key.entity)
  }

  // MARK: - Sorting

  private func sort(_ index: IndexSchema, _ ranges: KeyRanges) throws {
    guard let keys = try candidates(index, ranges, isBounded: true) else {
      return try sortRecords()
    }
    var sorter = makeSorter()
    // In the order of their keys, in which the records lie.
    for key in keys.sorted() { try add(key, to: &sorter) }
    try addWindow(of: &sorter)
  }

  private func sortRecords() throws {
    var sorter = makeSorter()
    try visitRecords { visited, row in
      // With a limit most rows are turned away: the winners' records are read again.
      let record = plan.limit == nil && demand.keepsRecords ? keep(visited) : nil
      sorter.add(row, record: record) { keep(visited) }
      return .more
    }
    try addWindow(of: &sorter)
  }

  private func makeSorter() -> RowSorter {
    RowSorter(by: plan.sort, bound: plan.limit.map { plan.offset.addingClamped($0) })
  }

  private func addWindow(of sorter: inout RowSorter) throws {
    for row in sorter.sorted() where window.takes() {
      try add(row.key, row.record ?? find(row.key))
    }
  }

  /// Looks a candidate up and adds it if it satisfies the filter.
  private func add(_ key: ObjectKey, to sorter: inout RowSorter) throws {
    guard let stored = try find(key), let layout = layout(of: key) else { return }
    try stored.record.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      let row = Row(key: key, start: start, layout: layout)
      guard try plan.filter?.isTrue(of: row, reader) ?? true else { return }
      sorter.add(row, record: demand.keepsRecords ? stored : nil) { stored }
    }
  }

  // MARK: - One object

  /// Makes an index's candidate a result, if it satisfies the filter and is wanted.
  private func admit(_ key: ObjectKey) throws -> ScanStep {
    guard let filter = plan.filter else {
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

  /// The object's record as the view shows it; nil for an entry whose object is gone.
  private func find(_ key: ObjectKey) throws -> StoredRecord? {
    guard case .record(let stored) = try view.find(key) else { return nil }
    return stored
  }

  private func layout(of key: ObjectKey) -> RecordLayout? { view.schema.entity(key.entity)?.layout }

  // MARK: - Records

  private func walkRecords() throws {
    try visitRecords { visited, row in
      if window.takes() { try add(visited, row) }
      return window.isFull ? .stop : .more
    }
  }

  /// Calls `body` with each object of the family that satisfies the whole predicate.
  private func visitRecords(_ body: (ReadView.Visited, Row) throws -> ScanStep) throws {
    var step = ScanStep.more
    for entity in plan.family where step == .more {
      guard let layout = view.schema.entity(entity)?.layout else { continue }
      try view.walkRecords(of: entity) { visited in
        guard let start = visited.bytes.baseAddress else { return .more }
        let row = Row(key: visited.key, start: start, layout: layout)
        guard try plan.condition?.isTrue(of: row, reader) ?? true else { return .more }
        step = try body(visited, row)
        return step
      }
    }
  }

  private func keep(_ visited: ReadView.Visited) -> StoredRecord {
    StoredRecord(
      record: visited.record ?? arena.append(copying: visited.bytes),
      generation: visited.generation)
  }
}

extension Int {
  /// The sum, or the greatest integer if it is larger.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, didOverflow) = addingReportingOverflow(other)
    return didOverflow ? .max : sum
  }
}

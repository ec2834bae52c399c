// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// One execution of a request for rows from the entries of one index (`CoveredAccess`).
///
/// The rows are those that the records would give, in the same order, with pending changes. An
/// object whose key is not exact is looked up. If these are many, the fetch is given up, because a
/// walk over the records is faster.
///
/// | rows | way |
/// | --- | --- |
/// | in any order: sums of integers, counts | a walk; without pending changes by blocks |
/// | in the order of the index | a walk |
/// | in the order of the objects' keys | a walk, and the entries are sorted |
///
/// ## Isolation
/// It belongs to one fetch.
final class CoveredFetch {
  let covered: CoveredAccess
  let plan: QueryPlan
  let view: ReadView
  /// Whether a zero is taken for 0, though it may be -0.
  private let readsZero: Bool
  private let onlyEntity: EntityNumber?
  /// By entity: the entities of a hierarchy have different layouts.
  private var records: [EntityNumber: IndexRecord] = [:]
  // Safety: `@exclusivity(unchecked)` saves several run-time checks per row. The fetch belongs to
  // one isolation, and no access to these properties runs code that could access them again.
  @exclusivity(unchecked)
  private var last: (entity: EntityNumber, record: IndexRecord)?
  @exclusivity(unchecked)
  private(set) var reads = ReadCount()
  /// The number of rows that were visited.
  @exclusivity(unchecked)
  private(set) var rowCount = 0

  var access: IndexAccess { covered.access }
  var number: PropertyNumber { access.index.number }

  init(_ covered: CoveredAccess, of plan: QueryPlan, in view: ReadView, readsZero: Bool) {
    self.covered = covered
    self.plan = plan
    self.view = view
    self.readsZero = readsZero
    onlyEntity = plan.family.count == 1 ? plan.family[0] : nil
  }

  /// The steps of the execution, for an explanation.
  var explained: QueryExplanation.Step {
    plan.windowed(
      QueryExplanation.Step(
        .index, "\(access), values only", found: rowCount, reads, inputs: []))
  }

  // MARK: - In any order

  /// Calls `body` with each row and the number of objects that have it, in any order.
  ///
  /// - Parameter areKeysRead: whether the rows' keys are used. If not, neighbours with one value
  ///   may be one row.
  /// - Returns: false if the fetch is given up; the rows that were visited do not count then.
  func visitUnordered(
    areKeysRead: Bool, _ body: (Row, _ count: Int) throws -> Void
  ) throws -> Bool {
    var inexact: [ObjectKey] = []
    var keyRanges = access.range.keyRanges
    if !areKeysRead, view.layers.isEmpty, let onlyEntity, access.index.isOfFamilyAlone(plan) {
      guard let rest = try visitRuns(onlyEntity, body) else { return false }
      keyRanges = rest
    }
    let inexactCountMax = try plan.lookupCountMax(in: view)
    for range in keyRanges where inexact.count <= inexactCountMax {
      reads.entries += try view.walkIndex(number, in: range, isReversed: false) { entry, key in
        guard isInFamily(key) else { return .more }
        if let row = row(of: key, Self.value(of: entry)) {
          rowCount += 1
          try body(row, 1)
          return .more
        }
        inexact.append(key)
        return inexact.count <= inexactCountMax ? .more : .stop
      }
    }
    if inexact.count > inexactCountMax { return false }
    try visitRecords(of: inexact.sorted()) { try body($0, 1) }
    return true
  }

  /// The most values that are left to be walked by entries.
  private static let inexactValueCountMax = 1_024

  /// Visits the rows with exact values, a block of entries at a time.
  ///
  /// - Returns: the key ranges of the values that are not exact; nil if there are too many.
  private func visitRuns(
    _ entity: EntityNumber, _ body: (Row, _ count: Int) throws -> Void
  ) throws -> [KeyRange]? {
    guard let record = record(of: entity) else { return nil }
    let key = ObjectKey(entity: entity, serial: 0)
    var rest: [KeyRange] = []
    for range in access.range.keyRanges where rest.count <= Self.inexactValueCountMax {
      try view.snapshot.scanRuns(of: number, in: range) { value, count in
        guard let start = record.read(value) else {
          let prefix = KeyRange(prefix: [UInt8](value)).intersection(range)
          if rest.last != prefix { rest.append(prefix) }
          return rest.count <= Self.inexactValueCountMax ? .more : .stop
        }
        reads.entries += count
        rowCount += count
        try body(Row(key: key, start: start, layout: record.layout), count)
        return .more
      }
    }
    return rest.count <= Self.inexactValueCountMax ? rest : nil
  }

  // MARK: - In order

  /// Calls `body` with each row in the window of the request, in its order, until `body` returns
  /// `.stop`.
  ///
  /// - Returns: false if the fetch is given up; no row was visited then.
  func visit(_ body: (Row) throws -> ScanStep) throws -> Bool {
    var window = Window(offset: plan.offset, limit: plan.limit)
    if window.isFull { return true }
    guard let order = covered.order ?? IndexOrder(unsorted: access) else {
      return try visitByKey(&window, body)
    }
    if let first = plan.sort.first, first.readsAbsentAsValue, try hasAbsent(first) { return false }
    try visit(in: order, &window, body)
    return true
  }

  /// Whether an object has no value in the first slot of the order: it has then another place in
  /// the order than in the index.
  private func hasAbsent(_ key: ResolvedSortKey) throws -> Bool {
    let absent = IndexRange([KeyRange(prefix: access.fixed + KeyEncoder.absentKey(key.kind))])
    for range in access.range.intersection(absent).keyRanges {
      if try firstEntry(in: range, isReversed: false) != nil { return true }
    }
    return false
  }

  private func visit(
    in order: IndexOrder, _ window: inout Window, _ body: (Row) throws -> ScanStep
  ) throws {
    let keyRanges = access.range.keyRanges
    for range in order.isReversed ? keyRanges.reversed() : keyRanges {
      var rest = try skip(in: range, isReversed: order.isReversed, &window)
      while let range = rest, !window.isFull {
        rest = nil
        if !order.isReversed {
          try visitForwards(range, &window, body)
        } else if let value = try visitBackwards(range, &window, body) {
          let many = range.intersection(KeyRange(prefix: value))
          if let left = try skip(in: many, isReversed: false, &window) {
            try visitForwards(left, &window, body)
          }
          rest = KeyRange(lower: range.lower, upper: value)
        }
      }
    }
  }

  private func visitForwards(
    _ range: KeyRange, _ window: inout Window, _ body: (Row) throws -> ScanStep
  ) throws {
    reads.entries += try view.walkIndex(number, in: range, isReversed: false) { entry, key in
      guard isInFamily(key), window.takes() else { return window.isFull ? .stop : .more }
      if try show(key, Self.value(of: entry), body) == .stop { window.close() }
      return window.isFull ? .stop : .more
    }
  }

  /// The most entries with one value that are collected: more are visited forwards.
  private static let groupCountMax = 64

  /// Visits rows in descending order of their values; those with one value in ascending order of
  /// their keys.
  ///
  /// - Returns: the value at which the walk has stopped because it has many entries; nil at the
  ///   end.
  private func visitBackwards(
    _ range: KeyRange, _ window: inout Window, _ body: (Row) throws -> ScanStep
  ) throws -> [UInt8]? {
    var group = IndexGroup()
    var value: [UInt8] = []
    var large: [UInt8]?
    func close() throws {
      for key in group.keys.reversed() where !window.isFull && window.takes() {
        let step = try value.withUnsafeBytes { try show(key, $0, body) }
        if step == .stop { window.close() }
      }
      group.removeAll()
    }
    reads.entries += try view.walkIndex(number, in: range, isReversed: true) { entry, key in
      guard isInFamily(key) else { return .more }
      let next = Self.value(of: entry)
      if !group.isEmpty, !group.has(next) { try close() }
      if window.isFull { return .stop }
      if group.isEmpty { value = [UInt8](next) }
      group.append(key, next, isCertain: true)
      guard group.keys.count > Self.groupCountMax else { return .more }
      large = value
      group.removeAll()
      return .stop
    }
    try close()
    return large
  }

  /// Skips entries before the window (`FetchSession.skip`).
  private func skip(
    in range: KeyRange, isReversed: Bool, _ window: inout Window
  ) throws -> KeyRange? {
    guard window.toSkip >= Window.skippedCountMin, access.index.isOfFamilyAlone(plan) else {
      return range
    }
    let (skipped, lookUpCount) = try view.skipEntries(
      of: number, in: range, isReversed: isReversed, upTo: window.toSkip)
    guard window.skips(skipped.count) else { return range }
    reads.entries += skipped.count
    reads.records += lookUpCount
    return skipped.rest
  }

  // MARK: - By key

  /// Visits rows in the order of their keys.
  private func visitByKey(
    _ window: inout Window, _ body: (Row) throws -> ScanStep
  ) throws -> Bool {
    let most = try plan.lookupCountMax(in: view)
    var keys: [UInt64] = []
    /// Where the value of each is in `bytes`. Neighbours with one value share it.
    var values: [Range<Int>] = []
    var bytes: [UInt8] = []
    for range in access.range.keyRanges where keys.count <= most {
      reads.entries += try view.walkIndex(number, in: range, isReversed: false) { entry, key in
        guard isInFamily(key) else { return .more }
        let value = Self.value(of: entry)
        if let last = values.last,
          bytes.withUnsafeBytes({ UnsafeRawBufferPointer(rebasing: $0[last]).isEqual(to: value) })
        {
          values.append(last)
        } else {
          values.append(bytes.count..<bytes.count + value.count)
          bytes.append(contentsOf: value)
        }
        keys.append(key.rawValue)
        return keys.count <= most ? .more : .stop
      }
    }
    if keys.count > most { return false }
    try bytes.withUnsafeBytes { bytes in
      for place in RadixSort.sorted(keys) where window.takes() {
        let value = UnsafeRawBufferPointer(rebasing: bytes[values[Int(place)]])
        let step = try show(ObjectKey(rawValue: keys[Int(place)]), value, body)
        if step == .stop || window.isFull { return }
      }
    }
    return true
  }

  // MARK: - One entry

  /// Calls `body` with the row of an entry, or of the object's record if the value is not exact.
  private func show(
    _ key: ObjectKey, _ value: UnsafeRawBufferPointer, _ body: (Row) throws -> ScanStep
  ) throws -> ScanStep {
    if let row = row(of: key, value) {
      rowCount += 1
      return try body(row)
    }
    var step = ScanStep.more
    try visitRecords(of: [key]) { step = try body($0) }
    return step
  }

  func visitRecords(of keys: [ObjectKey], _ body: (Row) throws -> Void) throws {
    if keys.isEmpty { return }
    reads.records += keys.count
    try view.visit(keys) { _, row in
      guard let row else { return }
      rowCount += 1
      try body(row)
    }
  }

  /// The row of an entry; nil if the value is not exact. It is valid until the next call.
  @inline(__always)
  func row(of key: ObjectKey, _ value: UnsafeRawBufferPointer) -> Row? {
    guard let record = record(of: key.entity), let start = record.read(value) else { return nil }
    return Row(key: key, start: start, layout: record.layout)
  }

  private func record(of entity: EntityNumber) -> IndexRecord? {
    if let last, last.entity == entity { return last.record }
    guard let schema = view.schema.entity(entity),
      let index = schema.indexes.first(where: { $0.number == number })
    else { return nil }
    let record =
      records[entity]
      ?? IndexRecord(index, schema.layout, slots: covered.slots, readsZero: readsZero)
    records[entity] = record
    last = (entity, record)
    return record
  }

  /// The first entry of the result's entities in a range, or the last one.
  func firstEntry(in range: KeyRange, isReversed: Bool) throws -> (key: ObjectKey, value: [UInt8])?
  {
    var found: (ObjectKey, [UInt8])?
    reads.entries += try view.walkIndex(number, in: range, isReversed: isReversed) { entry, key in
      guard isInFamily(key) else { return .more }
      found = (key, [UInt8](Self.value(of: entry)))
      return .stop
    }
    return found
  }

  @inline(__always)
  private func isInFamily(_ key: ObjectKey) -> Bool {
    if let onlyEntity { return key.entity == onlyEntity }
    return plan.family.contains(key.entity)
  }

  @inline(__always)
  private static func value(of entry: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: entry.baseAddress, count: entry.count &- KeyEncoder.objectKeyByteCount)
  }
}

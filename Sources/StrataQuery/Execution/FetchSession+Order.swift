// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Fetches from an index with entries in the order of the request. The walk ends when the window is
// full. Objects before the offset are skipped by blocks of entries, without a look-up, unless a
// part of the predicate must be evaluated (`+Jumping`).

/// One part of the walk over an index.
private struct Leg {
  let keyRanges: [KeyRange]
  /// Whether all values are equal in the order, whatever the entries contain.
  var isOneGroup = false
}

extension FetchSession where Sink: RowSink {
  func read(_ order: IndexOrder) throws {
    let before = reads
    let legs = try legs(of: order)
    for leg in order.isReversed ? legs.reversed() : legs where !window.isFull {
      if leg.isOneGroup {
        try walkGroup(leg.keyRanges, order, isSorted: order.keyCount == 1)
      } else {
        try walk(leg.keyRanges, order)
      }
    }
    try readTaken()
    if trace != nil {
      let direction = order.isReversed ? "in reverse order" : "in order"
      accessStep = QueryExplanation.Step(
        .index, "\(order.access), \(direction)", found: reads.entries - before.entries,
        reads - before, inputs: [])
    }
  }

  /// Returns the parts of the walk, in the order of the first sort key. Objects with an absent slot
  /// are at the beginning of the index, but may read as a value that belongs further inside. They
  /// form one part with the objects that have that value.
  private func legs(of order: IndexOrder) throws -> [Leg] {
    let access = order.access
    let whole = [Leg(keyRanges: access.range.keyRanges)]
    guard order.keyCount > 0, let first = plan.sort.first, first.readsAbsentAsValue else {
      return whole
    }
    let absent = IndexRange([KeyRange(prefix: access.fixed + KeyEncoder.absentKey(first.kind))])
    let unset = access.range.intersection(absent).keyRanges
    guard try hasEntries(access.index, unset) else { return whole }
    let value = Array((access.fixed + first.absentKey).prefix(KeyEncoder.valueByteCountMax))
    let equal = IndexRange([KeyRange(prefix: value)])
    let others = access.range.intersection(IndexRange.union([absent, equal]).complement)
    func leg(within range: KeyRange) -> Leg {
      Leg(keyRanges: others.intersection(IndexRange([range])).keyRanges)
    }
    let group = unset + access.range.intersection(equal).keyRanges
    return [
      leg(within: KeyRange(upper: value)), Leg(keyRanges: group, isOneGroup: true),
      leg(within: KeyRange(lower: value)),
    ]
  }

  private func hasEntries(_ index: IndexSchema, _ keyRanges: [KeyRange]) throws -> Bool {
    var isFound = false
    for range in keyRanges where !isFound {
      reads.entries += try view.walkIndex(index.number, in: range, isReversed: false) { _, _ in
        isFound = true
        return .stop
      }
    }
    return isFound
  }

  // MARK: - Walking

  private func walk(_ keyRanges: [KeyRange], _ order: IndexOrder) throws {
    // Objects with equal sort values may be in several key ranges.
    var group = IndexGroup()
    for range in order.isReversed ? keyRanges.reversed() : keyRanges {
      var rest: KeyRange? = range
      while let next = rest, !window.isFull {
        rest = nil
        guard
          let range = group.isEmpty ? try skip(in: next, order, isReversed: order.isReversed) : next
        else { continue }
        guard let value = try walk(range, order, &group) else { continue }
        // Objects with one value are in ascending order of their keys, also in reverse order of the
        // values: a forward walk finds the first of them without the others.
        group.removeAll()
        try walkGroup([KeyRange(prefix: value)], order, isSorted: true)
        rest = KeyRange(lower: range.lower, upper: value)
      }
    }
    _ = try close(&group, order)
  }

  /// Walks one key range.
  ///
  /// - Returns: the value at which a reversed walk has stopped because the value has many entries;
  ///   nil if the walk has reached its end.
  private func walk(
    _ range: KeyRange, _ order: IndexOrder, _ group: inout IndexGroup
  ) throws -> [UInt8]? {
    let access = order.access
    var large: [UInt8]?
    // In a reversed walk, up to 64 entries with one value are collected. A value with more entries
    // is walked forwards.
    let groupCountMax = order.isReversed && isInKeyOrder(within: order) ? 64 : .max
    let isGrouped =
      order.isReversed || order.keyCount < plan.sort.count || !order.isToTheEnd
    // Whether an entry without its record decides that its object is a result. A sink that may stop
    // at any row requires that no further objects are collected.
    let isDirect =
      !isGrouped && plan.filter == nil && access.range.certainty == .all && !Sink.mayStop
    if isDirect, access.isOneValue, access.fixed.count < KeyEncoder.valueByteCountMax,
      group.isEmpty
    {
      // All entries have the same value, and no value is cut: only the objects are read from the
      // entries.
      reads.entries += try view.walkIndex(
        access.index.number, in: range, isReversed: order.isReversed
      ) { _, key in try isInFamily(key) ? take(key) : .more }
      return nil
    }
    let cutByteCount = KeyEncoder.valueByteCountMax + KeyEncoder.objectKeyByteCount
    // Not part of the closure, which handles most entries before this function is needed.
    @inline(never)
    func gather(_ entry: UnsafeRawBufferPointer, _ key: ObjectKey) throws -> ScanStep {
      let value = UnsafeRawBufferPointer(
        rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount))
      let isCertain = access.range.certainty.holds(of: value)
      // A value that was cut shares its bytes with other values of any order.
      let isCut = value.count >= KeyEncoder.valueByteCountMax
      if !isGrouped, !isCut, group.isEmpty { return try admit(key, isCertain: isCertain) }
      let head = order.head(of: value)
      if !group.isEmpty, !group.has(head), try close(&group, order) == .stop { return .stop }
      if !isGrouped, !isCut { return try admit(key, isCertain: isCertain) }
      group.append(key, head, isCertain: isCertain)
      if group.keys.count > groupCountMax, !isCut {
        large = [UInt8](head)
        return .stop
      }
      return .more
    }
    reads.entries += try view.walkIndex(
      access.index.number, in: range, isReversed: order.isReversed
    ) { entry, key in
      guard isInFamily(key) else { return .more }
      if isDirect, entry.count < cutByteCount, group.isEmpty { return try take(key) }
      return try gather(entry, key)
    }
    return large
  }

  /// Whether all objects of a group are results, in the order of their keys, which is the order of
  /// their entries.
  func isInKeyOrder(within order: IndexOrder) -> Bool {
    plan.filter == nil && order.access.range.certainty == .all && order.isToTheEnd
      && order.keyCount == plan.sort.count
  }

  /// Walks entries with one value of the first sort key.
  ///
  /// - Parameter isSorted: whether the entries are also equal in the other sort keys of the index.
  ///   The objects of each value are then in the order of their keys.
  private func walkGroup(
    _ keyRanges: [KeyRange], _ order: IndexOrder, isSorted: Bool
  ) throws {
    var group = IndexGroup()
    var isCut = !isSorted
    let isInKeyOrder = isSorted && isInKeyOrder(within: order)
    var keyRanges = keyRanges
    if isInKeyOrder, keyRanges.count == 1 {
      keyRanges = try skip(in: keyRanges[0], order, isReversed: false).map { [$0] } ?? []
    }
    let wanted = isInKeyOrder ? window.wanted : .max
    for range in keyRanges {
      var found = 0
      let count = try view.walkIndex(order.access.index.number, in: range, isReversed: false) {
        entry, key in
        guard isInFamily(key) else { return .more }
        let value = UnsafeRawBufferPointer(
          rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount))
        isCut = isCut || value.count >= KeyEncoder.valueByteCountMax
        group.append(key, value, isCertain: order.access.range.certainty.holds(of: value))
        found += 1
        return found < wanted || isCut ? .more : .stop
      }
      reads.entries += count
    }
    _ = try close(&group, order, isCut: isCut)
  }

  /// Admits the objects of a group in the order of the remaining sort keys, then of their keys.
  private func close(
    _ group: inout IndexGroup, _ order: IndexOrder, isCut: Bool = false
  ) throws -> ScanStep {
    if group.isEmpty { return window.isFull ? .stop : .more }
    try readTaken()
    let keys = group.keys.sorted()
    let isCertain = group.isCertain
    let isCut = isCut || group.isCut
    group.removeAll()
    if isCertain, plan.filter == nil, window.skips(keys.count) { return .more }
    guard isCut || order.keyCount < plan.sort.count else {
      for key in keys where try admit(key, isCertain: isCertain) == .stop { return .stop }
      return window.isFull ? .stop : .more
    }
    var sorter = RowSorter(by: plan.sort, bound: nil, keepsRecords: Sink.keepsRecords)
    try add(keys, to: &sorter) { _ in isCertain }
    try addWindow(of: &sorter)
    return window.isFull ? .stop : .more
  }
}

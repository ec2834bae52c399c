// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Fetches keys from indexes and sorts them afterwards. The records are walked instead if looking up
// the keys would take longer.

/// The largest number of candidates that are looked up together.
private let groupCountMax = 1_024

extension FetchSession where Sink: RowSink {
  func read(_ source: CandidateSource) throws {
    let readsEntriesAlone = plan.filter == nil && plan.sort.isEmpty && !Sink.readsRecords
    if Sink.countsAlone, readsEntriesAlone, case .index(let access) = source,
      try countEntries(access)
    {
      return
    }
    let most = source.readsWords ? .max : try lookupCountMax()
    var sourceReader = SourceReader(view: view, lookupCountMax: most, trace: trace)
    var found = try sourceReader.keys(of: source, upTo: readsEntriesAlone ? .max : most)
    reads = reads + sourceReader.reads
    found?.removeAll { !family.contains($0.entity) }
    guard let found, found.doubtfulCount <= most else { return try readRecords() }
    accessStep = trace?.steps.last
    if plan.sort.isEmpty {
      try admit(found)
    } else {
      var sorter = makeSorter()
      // In ascending order of keys, in which the records are stored.
      try add(found.keys, to: &sorter) { !found.isDoubtful($0) }
      try addWindow(of: &sorter)
    }
  }

  /// Adds the candidates to the result that satisfy the conditions that remain, until the window is
  /// full. They are looked up together, not more of them than the window needs.
  private func admit(_ found: KeySet) throws {
    guard Sink.readsRecords || plan.filter != nil || found.doubtful == nil, !Sink.mayStop else {
      for key in found.keys where try admit(key, isCertain: !found.isDoubtful(key)) == .stop {
        break
      }
      return
    }
    var rest = found.keys[...]
    while !rest.isEmpty, !window.isFull {
      skipCertain(&rest, of: found)
      let group = Array(rest.prefix(min(window.wanted, groupCountMax)))
      rest = rest.dropFirst(group.count)
      reads.records += group.count
      try view.visit(group) { key, row in
        let isCertain = !found.isDoubtful(key)
        let isResult =
          try row.map { try isTrue(of: $0, isCertain: isCertain) }
          ?? (isCertain && plan.filter == nil)
        if isResult, window.takes() { try add(key, row) }
      }
    }
  }

  /// Leaves out the first keys, as many as are before the window and are results for certain. They
  /// are not looked up.
  private func skipCertain(_ keys: inout ArraySlice<ObjectKey>, of found: KeySet) {
    guard plan.filter == nil else { return }
    while let key = keys.first, !found.isDoubtful(key), window.skips(1) { keys.removeFirst() }
  }

  /// Counts the entries of an index range without collecting their keys.
  ///
  /// - Returns: false if too many entries would have to be looked up.
  private func countEntries(_ access: IndexAccess) throws -> Bool {
    let before = reads
    let most = window.wanted
    var found = 0
    var doubtful: [ObjectKey] = []
    for range in access.range.keyRanges where found < most {
      reads.entries += try view.walkIndex(access.index.number, in: range, isReversed: false) {
        entry, key in
        guard family.contains(key.entity) else { return .more }
        if access.isCertain(entry) { found += 1 } else { doubtful.append(key) }
        return found < most ? .more : .stop
      }
    }
    if found < most, !doubtful.isEmpty {
      guard try doubtful.count <= lookupCountMax() else { return false }
      for key in doubtful {
        try withRow(of: key) { row in
          if try plan.condition?.isTrue(of: row, reader) == true { found += 1 }
        }
      }
    }
    sink.take(count: min(max(found - window.toSkip, 0), window.remaining))
    if trace != nil {
      accessStep = QueryExplanation.Step(
        .index, access.description, found: found, reads - before, inputs: [])
    }
    return true
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Fetches by a walk over all records in the order of their keys, if no index fits or the fitting
// index has too many entries.

extension FetchSession where Sink: RowSink {
  func readRecords() throws {
    let before = reads
    // For a page deep in the result, the objects before the window are not read.
    let isPage = plan.limit != nil && plan.offset > 0
    if !plan.sort.isEmpty {
      try sortRecords()
    } else if plan.condition == nil, !Sink.readsRecords || isPage {
      try walkKeys()
    } else if plan.condition == nil, plan.limit == nil, plan.offset == 0, view.layers.isEmpty {
      try takeAll()
    } else {
      try visitRecords { row in
        if window.takes() { try add(row.key, row) }
        return window.isFull ? .stop : .more
      }
    }
    if let trace {
      let read = reads - before
      accessStep = QueryExplanation.Step(
        .records, plan.entity.description.name, found: max(read.records, read.entries), read,
        inputs: trace.steps)
    }
  }

  /// Passes all objects of the entity from the store to the sink. Without pending changes, no merge
  /// is needed.
  private func takeAll() throws {
    for entity in plan.family where !window.isFull {
      guard let layout = view.schema.layout(of: entity) else { continue }
      try view.snapshot.scanRecords(of: entity) { key, generation, bytes in
        reads.records += 1
        guard let row = Row(key, generation, bytes, layout) else { return .more }
        let step = try sink.take(key, row)
        if step == .stop { window.close() }
        return step
      }
    }
  }

  private func walkKeys() throws {
    var step = ScanStep.more
    for entity in plan.family where step == .more {
      let count = try view.walkKeys(of: entity) { key in
        step = try admit(key, isCertain: true)
        return step
      }
      reads.entries += count
    }
  }

  private func sortRecords() throws {
    // With a limit, most rows are rejected, some of them after they were added. The records of the
    // remaining rows are read again.
    var sorter = makeSorter(keepsRecords: plan.limit == nil)
    try visitRecords { row in
      try sorter.add(row, reader)
      return .more
    }
    try addWindow(of: &sorter)
  }

  /// Calls `body` with each object of the family that satisfies the whole predicate.
  private func visitRecords(_ body: (Row) throws -> ScanStep) throws {
    var step = ScanStep.more
    let all = plan.condition.map { AllOf([$0]) }
    for entity in plan.family where step == .more {
      guard let layout = view.schema.layout(of: entity) else { continue }
      let (test, rest) = all?.split(for: layout) ?? (.all, nil)
      let hasRest = rest != nil
      reads.records += try view.walkRecords(of: entity, passing: test) { row in
        if hasRest, try !isTrue(rest, of: row) { return .more }
        step = try body(row)
        return step
      }
    }
  }
}

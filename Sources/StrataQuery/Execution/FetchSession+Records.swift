// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Where no index fits, or one that does holds too much: each record is looked at, in the order of the
// keys.

extension FetchSession {
  func readRecords() throws {
    let before = reads
    if !plan.sort.isEmpty {
      try sortRecords()
    } else if plan.condition == nil, !demand.readsRecords || isPage {
      try walkKeys()
    } else if !(try takeAll()) {
      try walkRecords()
    }
    if let trace {
      let read = reads - before
      accessStep = QueryExplanation.Step(
        .records, plan.entity.description.name, found: max(read.records, read.entries), read,
        inputs: trace.steps)
    }
  }

  /// Whether the window is far into the objects: then those before it are not looked into.
  private var isPage: Bool { plan.limit != nil && plan.offset > 0 }

  /// Hands over all objects of the entity, if that is what is asked for and nothing is pending: then
  /// there is nothing to do between the store and who takes the objects.
  ///
  /// - Returns: false if something else is asked for.
  private func takeAll() throws -> Bool {
    guard plan.condition == nil, plan.limit == nil, plan.offset == 0,
      view.layers.segments.isEmpty, !isCounting
    else { return false }
    switch demand {
    case .keys, .records: return false
    case .objects(let taker):
      for entity in plan.family {
        try view.snapshot.scanRecords(of: entity) { key, generation, bytes in
          reads.records += 1
          try taker.take(key, generation: generation, copying: bytes)
          return .more
        }
      }
    case .visit(let visit):
      for entity in plan.family where !window.isFull {
        guard let layout = view.schema.entity(entity)?.layout else { continue }
        try view.snapshot.scanRecords(of: entity) { key, _, bytes in
          reads.records += 1
          guard let start = bytes.baseAddress else { return .more }
          let step = try visit(Row(key: key, start: start, layout: layout))
          if step == .stop { window.close() }
          return step
        }
      }
    }
    return true
  }

  private func walkRecords() throws {
    try visitRecords { visited, row in
      if window.takes() { try add(visited, row) }
      return window.isFull ? .stop : .more
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
    var sorter = makeSorter()
    try visitRecords { visited, row in
      // With a limit most rows are turned away, some of them later: the winners' records are read
      // again.
      sorter.add(row, keepsRecord: plan.limit == nil && demand.keepsRecords) { keep(visited) }
      return .more
    }
    try addWindow(of: &sorter)
  }

  /// Calls `body` with each object of the family that satisfies the whole predicate.
  private func visitRecords(_ body: (ReadView.Visited, Row) throws -> ScanStep) throws {
    var step = ScanStep.more
    let condition = plan.condition
    for entity in plan.family where step == .more {
      guard let layout = view.schema.entity(entity)?.layout else { continue }
      let count = try view.walkRecords(of: entity) { visited in
        guard let start = visited.bytes.baseAddress else { return .more }
        let row = Row(key: visited.key, start: start, layout: layout)
        if let condition, try !condition.isTrue(of: row, reader) { return .more }
        step = try body(visited, row)
        return step
      }
      reads.records += count
    }
  }
}

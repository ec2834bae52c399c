// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
import StrataRecord

extension RowPlan {
  /// Calls `body` with each row, in order, until `body` returns `.stop`. Rows show the state of
  /// `view`, with the saved and the pending objects of all layers.
  ///
  /// - Important: `view` must not change during the call (`ReadView.replaceOwn`).
  /// - Throws: errors of the store and of `body`; `QueryError.noValue`.
  package func fetch(
    in view: ReadView, _ body: (RowValues) throws -> ScanStep
  ) throws {
    try fetch(in: view, nil, body)
  }

  /// Calls `body` with each row, and records in `trace` how the objects were found.
  func fetch(
    in view: ReadView, _ trace: RowTrace?, _ body: (RowValues) throws -> ScanStep
  ) throws {
    if groups == nil, !isDistinct, offset == 0, limit == nil {
      return try fetchEach(in: view, trace, body)
    }
    var filter = DistinctRows(isNeeded: isDistinct, window: Window(offset: offset, limit: limit))
    if filter.window.isFull { return }
    func show(_ values: RowValues) throws -> ScanStep {
      guard try filter.takes(values) else { return filter.window.isFull ? .stop : .more }
      return try body(values) == .stop || filter.window.isFull ? .stop : .more
    }
    if let groups { return try fetchGroups(groups, in: view, trace, show) }
    try fetchEach(in: view, trace, show)
  }

  /// Calls `body` with one row for each object.
  private func fetchEach(
    in view: ReadView, _ trace: RowTrace?, _ body: (RowValues) throws -> ScanStep
  ) throws {
    let reader = RowReader(view: view)
    let values = RowValues(columns, reader, objects.entity.layout)
    func show(_ row: Row) throws -> ScanStep {
      values.begin(row)
      return try body(values)
    }
    if try covered?.visit(objects, in: view, trace, show) == true { return }
    try objects.visit(in: view, through: reader, trace, show)
  }
}

/// A filter on rows: removes equal rows if required, and applies the window.
private struct DistinctRows {
  let isNeeded: Bool
  var window: Window
  var seen: Set<[DistinctValue]> = []

  mutating func takes(_ row: RowValues) throws -> Bool {
    if isNeeded, try !seen.insert(row.all().map(DistinctValue.init)).inserted { return false }
    return window.takes()
  }
}

// MARK: - Groups

/// The state of one group during the fetch.
private struct Group {
  /// The group's first object, from which the values common to the group are read.
  var first: ObjectKey
  var states: [RowAggregate.State]

  /// - Parameter count: how many objects have the row.
  mutating func add(
    _ row: Row, _ count: Int, to aggregates: [RowAggregate], _ reader: RowReader
  ) throws {
    if row.key < first { first = row.key }
    for number in aggregates.indices {
      try aggregates[number].add(row, times: count, reader, to: &states[number])
    }
  }
}

/// The group of all objects, while they are visited.
private struct OneGroup {
  private let groups: RowPlan.Groups
  private var group: Group
  private var isEmpty = true

  init(_ groups: RowPlan.Groups) {
    self.groups = groups
    group = Group(first: ObjectKey(rawValue: .max), states: groups.initialStates)
  }

  /// The group, unless there are no objects.
  var all: [Group] { isEmpty ? [] : [group] }

  mutating func add(_ row: Row, _ count: Int, _ reader: RowReader) throws {
    isEmpty = false
    try group.add(row, count, to: groups.aggregates, reader)
  }
}

/// The groups of the objects, while these are visited.
private struct SeveralGroups {
  private let groups: RowPlan.Groups
  private(set) var all: [Group] = []
  private var places: [[DistinctValue]: Int] = [:]

  init(_ groups: RowPlan.Groups) { self.groups = groups }

  mutating func add(_ row: Row, _ count: Int, _ reader: RowReader) throws {
    let key = try groups.keys.map { DistinctValue(try $0.value(of: row, reader)) }
    let place = places[key] ?? all.count
    if place == all.count {
      all.append(Group(first: row.key, states: groups.initialStates))
      places[key] = place
    }
    try all[place].add(row, count, to: groups.aggregates, reader)
  }
}

extension RowPlan {
  private func fetchGroups(
    _ groups: Groups, in view: ReadView, _ trace: RowTrace?,
    _ body: (RowValues) throws -> ScanStep
  ) throws {
    var gathered = try gather(groups, in: view, trace)
    let reader = RowReader(view: view)
    func show(_ states: [RowAggregate.State], _ row: Row) throws -> ScanStep {
      reader.totals = groups.results(states)
      guard try groups.having?.isTrue(of: row, reader) ?? true else { return .more }
      return try body(RowValues(columns, of: row, reader))
    }
    if groups.keys.isEmpty {
      // Without group keys, columns have only aggregates and constants: no object is read.
      let states = gathered.first?.states ?? groups.initialStates
      var arena = RecordArena()
      let layout = objects.entity.layout
      let empty = layout.edited(nil, into: &arena) { _ in }
      let key = ObjectKey(entity: objects.entity.number, serial: 0)
      _ = try empty.withRow(of: key, layout) { try show(states, $0) }
      return
    }
    gathered.sort { $0.first < $1.first }
    if !groups.sort.isEmpty { gathered = try sorted(gathered, groups, reader) }
    for group in gathered {
      let step = try reader.withRow(of: group.first) { try show(group.states, $0) }
      if step == .stop { return }
    }
  }

  /// Returns the groups of all objects, unordered.
  private func gather(
    _ groups: Groups, in view: ReadView, _ trace: RowTrace?
  ) throws -> [Group] {
    let reader = RowReader(view: view)
    func visit(_ add: (Row, _ count: Int) throws -> Void) throws {
      try objects.visit(in: view, through: reader, trace) { row in
        try add(row, 1)
        return .more
      }
    }
    if groups.keys.isEmpty {
      var one = OneGroup(groups)
      if let covered, try covered.gather(objects, in: view, trace, { try one.add($0, $1, reader) })
      {
        return one.all
      }
      one = OneGroup(groups)
      try visit { try one.add($0, $1, reader) }
      return one.all
    }
    var several = SeveralGroups(groups)
    if let covered,
      try covered.gather(objects, in: view, trace, { try several.add($0, $1, reader) })
    {
      return several.all
    }
    several = SeveralGroups(groups)
    try visit { try several.add($0, $1, reader) }
    return several.all
  }

  private func sorted(
    _ gathered: [Group], _ groups: Groups, _ reader: RowReader
  ) throws -> [Group] {
    var sorter = RowSorter(by: groups.sort, bound: nil, keepsRecords: false)
    var places: [ObjectKey: Int] = [:]
    for (index, group) in gathered.enumerated() {
      reader.totals = groups.results(group.states)
      try reader.withRow(of: group.first) {
        places[group.first] = index
        try sorter.add($0, reader)
      }
    }
    return sorter.sorted().compactMap { row in places[row.key].map { gathered[$0] } }
  }
}

extension RowPlan.Groups {
  /// The states of the aggregates for a group without objects.
  fileprivate var initialStates: [RowAggregate.State] {
    Array(repeating: RowAggregate.State(), count: aggregates.count)
  }

  /// The values of the aggregates for a group.
  fileprivate func results(_ states: [RowAggregate.State]) -> [PropertyValue] {
    zip(aggregates, states).map { $0.result($1) }
  }
}

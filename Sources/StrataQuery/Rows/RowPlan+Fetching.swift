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
    if groups == nil, !isDistinct, offset == 0, limit == nil {
      return try fetchEach(in: view, body)
    }
    var filter = DistinctRows(isNeeded: isDistinct, window: Window(offset: offset, limit: limit))
    if filter.window.isFull { return }
    func show(_ values: RowValues) throws -> ScanStep {
      guard try filter.takes(values) else { return filter.window.isFull ? .stop : .more }
      return try body(values) == .stop || filter.window.isFull ? .stop : .more
    }
    if let groups { return try fetchGroups(groups, in: view, show) }
    try fetchEach(in: view, show)
  }

  /// Calls `body` with one row for each object.
  private func fetchEach(
    in view: ReadView, _ body: (RowValues) throws -> ScanStep
  ) throws {
    let reader = RowReader(view: view)
    let values = RowValues(columns, reader, objects.entity.layout)
    try objects.visit(in: view, through: reader) { row in
      values.begin(row)
      return try body(values)
    }
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
}

extension RowPlan {
  private func fetchGroups(
    _ groups: Groups, in view: ReadView, _ body: (RowValues) throws -> ScanStep
  ) throws {
    var gathered = try gather(groups, in: view)
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
  private func gather(_ groups: Groups, in view: ReadView) throws -> [Group] {
    var gathered: [Group] = []
    var places: [[DistinctValue]: Int] = [:]
    let reader = RowReader(view: view)
    try objects.visit(in: view, through: reader) { row in
      let key = try groups.keys.map { DistinctValue(try $0.value(of: row, reader)) }
      let place = groups.keys.isEmpty ? gathered.indices.first : places[key]
      let index = place ?? gathered.count
      if place == nil {
        gathered.append(Group(first: row.key, states: groups.initialStates))
        places[key] = index
      }
      if row.key < gathered[index].first { gathered[index].first = row.key }
      for (number, aggregate) in groups.aggregates.enumerated() {
        try aggregate.add(row, reader, to: &gathered[index].states[number])
      }
      return .more
    }
    return gathered
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

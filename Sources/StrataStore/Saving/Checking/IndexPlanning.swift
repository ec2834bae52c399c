// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Plans which index entries come and go.
///
/// ## Isolation
/// The writer thread.
struct IndexPlanning {
  let state: StateAfterSave

  func run() throws {
    if let runs = completeRuns() {
      state.plan.indexes = runs.map { IndexChanges($0, added: $1) }
      return
    }
    state.plan.emptied = try wholeEntities()
    var changes: [PropertyNumber: IndexChangesBuilder] = [:]
    for section in state.plan.sections {
      var indexes = section.entity.indexes
      let indexed = section.entity.indexedSlots
      if let emptied = state.plan.emptied {
        indexes.removeAll { emptied.empties(state.view.trees.entries(of: $0.number)) }
      }
      if indexes.isEmpty { continue }
      var own = indexes.map { index in
        var builder =
          changes.removeValue(forKey: index.number) ?? IndexChangesBuilder(index, of: section)
        builder.goOn(to: index, section.entity.layout)
        return builder
      }
      // All indexes of one object at a time: its records are looked up in memory once.
      for place in section.items.indices
      where !section.items[place].differing.isDisjoint(with: indexed) {
        for index in own.indices { own[index].append(section.items, at: place) }
      }
      for builder in own { changes[builder.index.number] = builder }
    }
    state.plan.indexes = changes.values.map { $0.finished() }
  }

  /// The runs of the save's only segment, if they are exactly the added index entries. They are if
  /// all the save's objects are new to the store. The saver has encoded and sorted them already.
  private func completeRuns() -> [PropertyNumber: IndexRun]? {
    guard state.save.segments.count == 1, state.save.changes.isInsertsOnly,
      state.plan.merged.isEmpty
    else { return nil }
    let newCount = state.plan.sections.reduce(0) { $0 + $1.items.count { $0.old == nil } }
    return newCount == state.save.changes.count ? state.save.segments[0].runs : nil
  }

  /// The entities of which the save deletes all stored objects and inserts none; nil if there are
  /// none.
  private func wholeEntities() throws -> EmptiedEntities? {
    if !state.plan.sections.contains(where: { $0.items.first?.new == nil }) { return nil }
    var counts: [EntityNumber: Int] = [:]
    var hasAny = false
    for section in state.plan.sections {
      let number = section.entity.number
      let isDeletion = !section.items.indices.contains { section.items[$0].new != nil }
      // More objects than any entity can have.
      counts[number] = isDeletion ? section.items.count : -1
      if isDeletion, try state.view.count(of: number) == section.items.count { hasAny = true }
    }
    return hasAny ? try EmptiedEntities(counts, state.schema, state.view) : nil
  }
}

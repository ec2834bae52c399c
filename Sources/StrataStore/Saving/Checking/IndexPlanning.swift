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
    state.plan.emptied = try emptiedEntities()
    // There are few indexes: a search through all of them finds one.
    var builders: [IndexChangesBuilder] = []
    for section in state.plan.sections {
      let own = places(ofIndexesIn: section, &builders)
      if own.isEmpty { continue }
      let indexed = section.entity.indexedSlots
      // All indexes of one object at a time: its records are looked up in memory once.
      for place in section.items.indices
      where !section.items[place].differing.isDisjoint(with: indexed) {
        for index in own { builders[index].append(section.items, at: place) }
      }
    }
    state.plan.indexes = builders.map { $0.finished() }
  }

  /// The places of the builders of all indexes whose entries a section's changes may change.
  private func places(
    ofIndexesIn section: SavePlan.Section, _ builders: inout [IndexChangesBuilder]
  ) -> [Int] {
    var differing = SlotSet()
    for place in section.items.indices { differing.formUnion(section.items[place].differing) }
    var places: [Int] = []
    for index in section.entity.indexes where index.covers(anyOf: differing) {
      if state.plan.emptied?.empties(state.view.trees.entries(of: index.number)) == true {
        continue
      }
      if let place = builders.firstIndex(where: { $0.index.number == index.number }) {
        builders[place].goOn(to: index, section.entity.layout)
        places.append(place)
      } else {
        places.append(builders.count)
        builders.append(IndexChangesBuilder(index, of: section))
      }
    }
    return places
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
  private func emptiedEntities() throws -> EmptiedEntities? {
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

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Which index entries come and go.

extension SaveCheck {
  mutating func planIndexes() throws {
    if let runs = completeRuns() {
      plan.indexes = runs.mapValues { SavePlan.IndexChanges(added: $0) }
      return
    }
    plan.emptied = try wholeEntities()
    var changes: [PropertyNumber: IndexChangesBuilder] = [:]
    for section in plan.sections {
      var indexes = section.entity.indexes
      let indexed = section.entity.indexedSlots
      if let emptied = plan.emptied {
        indexes.removeAll { emptied.empties(view.trees.entries(of: $0.number)) }
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
    plan.indexes = changes.mapValues { $0.finished() }
  }

  /// The runs of the save's only segment, if they are just what the indexes gain: when all its
  /// objects are new to the store. The saver has encoded and sorted them already.
  private func completeRuns() -> [PropertyNumber: IndexRun]? {
    guard save.segments.count == 1, save.changes.isInsertsOnly, plan.merged.isEmpty else {
      return nil
    }
    var newCount = 0
    for section in plan.sections {
      newCount += section.items.count { $0.old == nil }
    }
    return newCount == save.changes.count ? save.segments[0].runs : nil
  }

  /// The entities of which the save deletes all that the store has and inserts none; nil if there are
  /// none such.
  private func wholeEntities() throws -> WholeEntities? {
    if !plan.sections.contains(where: { $0.items.first?.new == nil }) { return nil }
    var counts: [EntityNumber: Int] = [:]
    var hasAny = false
    for section in plan.sections {
      let number = section.entity.number
      let isDeletion = !section.items.indices.contains { section.items[$0].new != nil }
      // No entity has so many objects.
      counts[number] = isDeletion ? section.items.count : -1
      if isDeletion, try view.count(of: number) == section.items.count { hasAny = true }
    }
    return hasAny ? try WholeEntities(counts, schema, view) : nil
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Which index entries come and go.

extension SaveCheck {
  mutating func planIndexes() {
    if let runs = completeRuns() {
      plan.indexes = runs.mapValues { SavePlan.IndexChanges(added: $0) }
      return
    }
    var changes: [PropertyNumber: IndexChangesBuilder] = [:]
    for section in plan.sections {
      let (indexes, indexed) = (section.entity.indexes, section.entity.indexedSlots)
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
        let item = section.items[place]
        for place in own.indices { own[place].append(item) }
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
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Which index entries come and go.

extension SaveCheck {
  mutating func planIndexes() {
    plan.indexes = [:]
    plan.runs = [:]
    if let runs = completeRuns() {
      plan.runs = runs
      return
    }
    for section in plan.sections {
      let (indexes, layout) = (section.entity.indexes, section.entity.layout)
      if indexes.isEmpty { continue }
      var changes = indexes.map { plan.indexes.removeValue(forKey: $0.number) ?? .init() }
      // All indexes of one object at a time: its records are looked up in memory once.
      let indexed = section.entity.indexedSlots
      let covered = indexes.map(\.slots)
      for place in section.items.indices
      where !section.items[place].differing.isDisjoint(with: indexed) {
        let item = section.items[place]
        for place in indexes.indices where !covered[place].isDisjoint(with: item.differing) {
          Self.add(item, to: &changes[place], indexes[place], layout)
        }
      }
      for (index, changes) in zip(indexes, changes) { plan.indexes[index.number] = changes }
    }
    for number in plan.indexes.keys {
      plan.indexes[number]?.removed.sort()
      plan.indexes[number]?.added.sort()
    }
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

  private static func add(
    _ item: SavePlan.Item, to changes: inout SavePlan.EntryChanges, _ index: IndexSchema,
    _ layout: RecordLayout
  ) {
    if let old = item.old {
      changes.removed.append(item.key) { index.append(valueOf: old, layout, to: &$0) }
    }
    if let new = item.new {
      changes.added.append(item.key) { index.append(valueOf: new, layout, to: &$0) }
    }
  }
}

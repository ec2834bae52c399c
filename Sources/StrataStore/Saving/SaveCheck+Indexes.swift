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
      var changes = indexes.map { plan.indexes.removeValue(forKey: $0.number) ?? .init() }
      // All indexes of one object at a time: its records are looked up in memory once.
      for item in section.items {
        for (place, index) in indexes.enumerated() {
          Self.add(item, to: &changes[place], index, layout)
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
    let changeSet = save.changeSet
    guard changeSet.segments.count == 1, plan.merged.isEmpty else { return nil }
    var newCount = 0
    for section in plan.sections {
      newCount += section.items.count { $0.old == nil }
    }
    return newCount == changeSet.segments[0].changes.count ? changeSet.segments[0].runs : nil
  }

  private static func add(
    _ item: SavePlan.Item, to changes: inout SavePlan.EntryChanges, _ index: IndexSchema,
    _ layout: RecordLayout
  ) {
    if let old = item.old, let new = item.new, index.hasSameValue(old, new, layout) { return }
    if let old = item.old {
      changes.removed.append(item.key) { index.append(valueOf: old, layout, to: &$0) }
    }
    if let new = item.new {
      changes.added.append(item.key) { index.append(valueOf: new, layout, to: &$0) }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Strata

extension Workload {
  /// The save alone is measured: the drafts are encoded and their index runs sorted in it.
  static let w13 = Workload(
    "W13", "a child of 20,000 inserted objects saves to its parent, in memory", per: "object",
    targets: ["W13": .nanoseconds(600), "W13/parent-full": .times(1, of: "W13")]
  ) { setting in
    let container = try PersistentContainer(inMemory: .people())
    let child = container.newBackgroundContext()
    var pendingCount = 0

    func insertAndSave(_ name: String) throws -> Figure {
      let start = pendingCount
      let figure = try child.performAndWait { context in
        for index in 0..<childCount {
          let serial = 1 + (start + index) % setting.people.scale
          _ = Person(setting.people.persons[serial], in: context)
        }
        return try setting.measure(name, operations: childCount) {
          try context.save()
          return { 0 }
        }
      }
      pendingCount += childCount
      // What was pushed has landed before the next is measured.
      try container.root.performAndWait { _ in }
      return figure
    }

    var empty = try insertAndSave("W13")
    let fullCount = min(1_000_000, 10 * setting.people.scale)
    while pendingCount < fullCount { _ = try insertAndSave("") }
    var full = try insertAndSave("W13/parent-full")
    empty.checksum = nil
    full.checksum = nil
    full.notes = ["\(pendingCount - childCount) objects pending in the parent"]
    return [empty, full]
  }

  private static let childCount = 20_000
}

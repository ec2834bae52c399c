// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Strata

extension Workload {
  /// The save alone is measured: the drafts are encoded and their index runs sorted in it.
  ///
  /// Beside the figure that has a target are those of saves of other sizes into an empty parent,
  /// and of the same save into parents with more and more pending.
  static let w13 = Workload(
    "W13", "a child of 20,000 inserted objects saves to its parent, in memory", per: "object",
    targets: ["W13": .nanoseconds(600), "W13/parent-full": .times(1, of: "W13")]
  ) { setting in
    var figures = try [100, 1_000, 10_000, 100_000].map { count in
      try ChildSaves(setting).save(count, named: "W13/of-\(count)")
    }
    let saves = try ChildSaves(setting)
    let most = min(1_000_000, 10 * setting.people.scale)
    var levels = [10_000, 100_000, most].filter { $0 <= most }[...]
    figures.append(try saves.save(childCount, named: "W13"))
    while let level = levels.first {
      let pendingCount = saves.pendingCount
      let isThere = pendingCount >= level
      let name = level == most ? "W13/parent-full" : "W13/parent-\(level)"
      var figure = try saves.save(childCount, named: isThere ? name : "")
      guard isThere else { continue }
      figure.notes = ["\(pendingCount) objects pending in the parent"]
      figures.append(figure)
      levels.removeFirst()
    }
    return figures
  }

  private static let childCount = 20_000
}

/// A parent in memory, and a child whose saves fill it.
private final class ChildSaves {
  private let setting: Workload.Setting
  private let container: PersistentContainer
  private let child: ContextQueue
  /// How many objects the parent has.
  private(set) var pendingCount = 0

  init(_ setting: Workload.Setting) throws {
    self.setting = setting
    container = try PersistentContainer(inMemory: .people())
    child = container.newBackgroundContext()
  }

  /// Inserts objects into the child and measures their save.
  func save(_ count: Int, named name: String) throws -> Figure {
    let start = pendingCount
    var figure = try child.performAndWait { [setting] context in
      for index in 0..<count {
        let serial = 1 + (start + index) % setting.people.scale
        _ = Person(setting.people.persons[serial], in: context)
      }
      return try setting.measure(name, operations: count) {
        try context.save()
        return { 0 }
      }
    }
    figure.checksum = nil
    pendingCount += count
    // The parent has integrated the push before the next save is measured.
    try container.root.performAndWait { _ in }
    return figure
  }
}

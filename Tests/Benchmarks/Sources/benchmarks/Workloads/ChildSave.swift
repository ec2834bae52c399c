// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Strata

extension Workload {
  /// The save alone is measured: the drafts are encoded and their index runs sorted in it.
  ///
  /// The mean is of 50 saves into one parent, until it has a million objects pending: most saves
  /// are cheap, and a few merge what is there. The worst of them is a figure of its own. Beside
  /// these are saves of other sizes into an empty parent.
  static let w13 = Workload(
    "W13", "50 saves of a child's 20,000 inserted objects to its parent, in memory: mean and worst",
    per: "object", targets: ["W13": .nanoseconds(550), "W13/worst": .nanoseconds(2_000)]
  ) { setting in
    var figures = try [100, 1_000, 10_000, 100_000].map { count in
      try ChildSaves(setting).save(count, named: "W13/of-\(count)")
    }
    let saves = try ChildSaves(setting)
    let all = try (0..<50).map { _ in try saves.save(20_000, named: "W13") }
    figures.append(
      Figure(
        workload: "W13", nanoseconds: mean(all.compactMap(\.nanoseconds)),
        cpuNanoseconds: mean(all.compactMap(\.cpuNanoseconds)),
        peakBytes: all.compactMap(\.peakBytes).max()))
    let index = all.indices.max { all[$0].cpuNanoseconds! < all[$1].cpuNanoseconds! }!
    var worst = all[index]
    worst.workload = "W13/worst"
    worst.notes = ["save \(index + 1) of 50; \(saves.pendingCount) objects pending in the end"]
    figures.append(worst)
    return figures
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }
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

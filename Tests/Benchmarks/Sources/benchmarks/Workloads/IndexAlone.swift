// SPDX-License-Identifier: Apache-2.0
import Strata

// The answer of an index without the records, beside the same answer by a scan.

extension Workload {
  static let q1 = Workload(
    "Q1", "count of 10 % of the persons by an index alone, beside a scan", per: "query",
    targets: ["Q1": .times(0.05, of: "Q1/scan")]
  ) { setting in
    let queue = ContextQueue(parent: try setting.reference.contents().coordinator)
    let byIndex = try measureCounts(setting, "Q1", 20, in: queue) { low in
      Person.where { $0.age.isIn(low..<(low + 10_000)) }
    }
    // The same persons, because every biography is non-empty; but no index answers that.
    let byScan = try measureCounts(setting, "Q1/scan", 4, in: queue) { low in
      Person.where { $0.age.isIn(low..<(low + 10_000)) || $0.bio == "" }
    }
    return [byIndex, byScan]
  }

  /// The index skips the entries before the offset.
  static let q2 = Workload(
    "Q2", "IDs of 50 persons by age, after half of all", per: "query", targets: [:]
  ) { setting in
    let queue = ContextQueue(parent: try setting.reference.contents().coordinator)
    let offset = setting.people.scale / 2
    let figure = try setting.measure("Q2", operations: 10) {
      let sum = try queue.performAndWait { context in
        try (0..<10).reduce(into: 0) { sum, step in
          let page = Person.all.sorted(by: \.age).offset(offset + step).limit(50)
          sum += try context.fetchIDs(page).count
        }
      }
      return { UInt64(sum) }
    }
    return [figure]
  }

  private static func measureCounts(
    _ setting: Setting, _ workload: String, _ count: Int, in queue: ContextQueue,
    _ request: @escaping @Sendable (Int) -> FetchRequest<Person>
  ) throws -> Figure {
    try setting.measure(workload, operations: count) {
      let sum = try queue.performAndWait { context in
        try (0..<count).reduce(into: 0) { sum, step in
          sum += try context.count(request(step % 4 * 20_000))
        }
      }
      return { UInt64(sum) }
    }
  }
}

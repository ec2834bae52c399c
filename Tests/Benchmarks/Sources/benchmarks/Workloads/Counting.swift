// SPDX-License-Identifier: Apache-2.0
import Strata

// Answers of an index without the records.

extension Workload {
  static let q1 = Workload(
    "Q1", "count of 10 % of the persons by an index alone", per: "query", on: .bulk,
    target: .times(0.05, of: "Q1/scan")
  ) { peer, setting in
    peer.forget()
    return try setting.measure("Q1", operations: 20) {
      let count = try (0..<20).reduce(0) { try $0 + peer.countAges(tenth($1)) }
      return { UInt64(count) }
    }
  }

  /// Every biography is non-empty, so the persons are the same; but no index answers that.
  static let q1Scan = Workload("Q1/scan", "Q1's count by a scan", per: "query") { setting in
    let context = ManagedObjectContext(parent: try setting.reference.contents().coordinator)
    let figure = try setting.measure("Q1/scan", operations: 4) {
      let count = try (0..<4).reduce(0) { count, step in
        let ages = tenth(step)
        return try count + context.count(Person.where { $0.age.isIn(ages) || $0.bio == "" })
      }
      return { UInt64(count) }
    }
    return [figure]
  }

  static let q5 = Workload(
    "Q5", "sum of the ages of 10 % of the persons, which the index has", per: "query", on: .bulk,
    target: .timesSQLite(1)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("Q5", operations: 20) {
      let sum = try (0..<20).reduce(0) { try $0 + peer.sumAges(tenth($1)) }
      return { UInt64(sum) }
    }
  }

  /// A tenth of all ages.
  private static func tenth(_ step: Int) -> Range<Int> {
    let low = step % 4 * 20_000
    return low..<low + 10_000
  }
}

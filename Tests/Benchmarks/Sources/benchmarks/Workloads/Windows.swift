// SPDX-License-Identifier: Apache-2.0

// A few of many persons, by place in an order.

extension Workload {
  static let q6 = Workload(
    "Q6", "IDs of 50 persons by age, after half of all; the 50 lowest scores, without an index",
    per: "query", on: .bulk, targets: ["Q6": .timesSQLite(0.3)]
  ) { peer, setting in
    peer.forget()
    let offset = setting.people.scale / 2
    let deep = try setting.measure("Q6", operations: 10) {
      let sums = try (0..<10).map { try peer.fetchIDsByAge(after: offset + $0) }
      return { sums.reduce(0) { $0 &+ $1() } }
    }
    peer.forget()
    let top = try setting.measure("Q6/top", operations: 4) {
      let sum = try (0..<4).reduce(0 as UInt64) { sum, _ in try sum &+ peer.fetchLeastScores() }
      return { sum }
    }
    return [deep, top]
  }
}

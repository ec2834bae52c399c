// SPDX-License-Identifier: Apache-2.0

// Filters that no index helps with: each row is tested.

extension Workload {
  static let q3 = Workload(
    "Q3", "count by a number without an index", per: "row", on: .bulk, target: .timesSQLite(1)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("Q3", operations: 4 * setting.people.scale) {
      let count = try (1...4).reduce(0) { try $0 + peer.countScores(below: Double(20 * $1)) }
      return { UInt64(count) }
    }
  }

  static let q4 = Workload(
    "Q4", "count by a part of a text without an index; caseless", per: "row", on: .bulk,
    targets: ["Q4": .timesSQLite(0.8), "Q4/caseless": .timesSQLite(1.3)]
  ) { peer, setting in
    peer.forget()
    return try [false, true].map { isCaseless in
      // Each is in about one biography of 460.
      let texts = isCaseless ? ["ABC", "Mno", "qUa", "xyZ"] : ["abc", "mno", "qua", "xyz"]
      let operations = texts.count * setting.people.scale
      return try setting.measure(isCaseless ? "Q4/caseless" : "Q4", operations: operations) {
        let count = try texts.reduce(0) {
          try $0 + peer.countBiographies(with: $1, isCaseless: isCaseless)
        }
        return { UInt64(count) }
      }
    }
  }
}

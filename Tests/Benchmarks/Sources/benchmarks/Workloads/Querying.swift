// SPDX-License-Identifier: Apache-2.0

extension Workload {
  static let w6 = Workload(
    "W6", "fetch by equal name (about 32 objects), read name and age of each", per: "query",
    on: .bulk, target: .timesLMDB(1.2)
  ) { peer, setting in
    peer.forget()
    let names = setting.people.someNames(1_000)
    return try setting.measure("W6", operations: names.count) {
      let sum = try peer.fetchByName(names)
      return { sum }
    }
  }

  static let w6i = Workload(
    "W6i", "the same, IDs only", per: "query", on: .bulk, target: .timesLMDB(1.3)
  ) { peer, setting in
    peer.forget()
    let names = setting.people.someNames(1_000)
    return try setting.measure("W6i", operations: names.count) { try peer.fetchIDsByName(names) }
  }

  static let w7a = Workload(
    "W7a", "age range, sorted by age, limit 50", per: "query", on: .bulk, target: .timesLMDB(1.3)
  ) { peer, setting in
    peer.forget()
    let (lows, width) = (setting.people.someAges(most: 200), setting.people.ageRangeWidth)
    return try setting.measure("W7a", operations: lows.count) {
      let sum = try peer.fetchByAge(lows, width: width)
      return { sum }
    }
  }

  static let w7b = Workload(
    "W7b", "age range (about 1,000 hits), sorted by name, limit 50", per: "query", on: .bulk,
    target: .timesLMDB(1.2)
  ) { peer, setting in
    peer.forget()
    let (lows, width) = (setting.people.someAges(most: 50), setting.people.ageRangeWidth)
    return try setting.measure("W7b", operations: lows.count) {
      let sum = try peer.fetchByAgeSortedByName(lows, width: width)
      return { sum }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

extension Workload {
  static let w4 = Workload(
    "W4", "read all by ID in random order in a fresh context, touch 3 fields", per: "object",
    on: .bulk, target: .timesLMDB(1.7)
  ) { peer, setting in
    peer.forget()
    let serials = setting.people.shuffledSerials
    return try setting.measure("W4", operations: serials.count) {
      let sum = try peer.readByID(serials, perTurn: serials.count)
      return { sum }
    }
  }

  static let w4h = Workload(
    "W4h", "the same again, objects registered", per: "object", on: .bulk,
    target: .timesLMDB(4)
  ) { peer, setting in
    peer.forget()
    let serials = setting.people.shuffledSerials
    _ = try peer.readByID(serials, perTurn: serials.count)
    return try setting.measure("W4h", operations: serials.count) {
      let sum = try peer.readByID(serials, perTurn: serials.count)
      return { sum }
    }
  }

  static let w5 = Workload(
    "W5", "fetch all as objects, sum age and name length", per: "object", on: .bulk,
    target: .timesLMDB(1.3)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W5", operations: setting.people.scale) {
      let sum = try peer.fetchAll()
      return { sum }
    }
  }

  static let w5s = Workload(
    "W5s", "stream the same two fields without objects", per: "row", on: .bulk,
    target: .timesLMDB(2)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W5s", operations: setting.people.scale) {
      let sum = try peer.stream()
      return { sum }
    }
  }

  static let w10 = Workload(
    "W10", "from each person to the company, read its name's length and last byte", per: "hop",
    on: .bulk, target: .timesLMDB(2)
  ) { peer, setting in
    peer.forget()
    try peer.prepareHop()
    return try setting.measure("W10", operations: setting.people.scale) {
      let sum = try peer.hop()
      return { sum }
    }
  }
}

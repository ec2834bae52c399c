// SPDX-License-Identifier: Apache-2.0

extension Workload {
  static let w1 = Workload(
    "W1", "insert N objects and save durably once", per: "object", on: .bulk,
    target: .instructions(7_500), makesStage: true
  ) { peer, setting in
    try setting.measure("W1", operations: setting.people.scale) {
      try peer.insert(1...setting.people.scale, perSave: setting.people.scale)
      return peer.digest
    }
  }

  static let w2 = Workload(
    "W2", "the same in saves of 1,000", per: "object", on: .batched, target: .timesLMDB(1),
    waits: true, makesStage: true
  ) { peer, setting in
    try setting.measure("W2", operations: setting.people.scale) {
      try peer.insert(1...setting.people.scale, perSave: 1_000)
      return peer.digest
    }
  }

  static let w3 = Workload(
    "W3", "one object per durable save, one saver", per: "save", on: .batched,
    target: .timesLMDB(1.1), waits: true
  ) { peer, setting in
    let serials = setting.extraSerials.prefix(savesCount)
    let save = try peer.makeSaver()
    return try setting.measure("W3", operations: serials.count) {
      for serial in serials { try save(serial) }
      return peer.digest
    }
  }

  static let w3g = Workload(
    "W3g", "the same, 8 savers at once", per: "save", on: .batched, target: .timesLMDB(0.2),
    waits: true, limit: "W3"
  ) { peer, setting in
    let serials = Array(setting.extraSerials.dropFirst(savesCount))
    let savers = try (0..<8).map { _ in try peer.makeSaver() }
    return try setting.measure("W3g", operations: serials.count) {
      try Threads(savers.count) { saver in
        for index in stride(from: saver, to: serials.count, by: savers.count) {
          try savers[saver](serials[index])
        }
      }.join()
      return peer.digest
    }
  }

  /// How many single saves there are, of one saver and of all eight.
  static let savesCount = 304
}

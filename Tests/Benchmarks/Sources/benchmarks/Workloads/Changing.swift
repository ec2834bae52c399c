// SPDX-License-Identifier: Apache-2.0

extension Workload {
  static let w8 = Workload(
    "W8", "change one unindexed field of all, save", per: "object", on: .bulk,
    target: .instructions(3_000)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W8", operations: setting.people.scale) {
      try peer.raiseScores()
      return peer.digest
    }
  }

  static let w8i = Workload(
    "W8i", "change the indexed age of all, save", per: "object", on: .bulk, target: .timesLMDB(2.2)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W8i", operations: setting.people.scale) {
      try peer.shiftAges()
      return peer.digest
    }
  }

  static let w9 = Workload(
    "W9", "delete all one by one, save", per: "object", on: .bulk, target: .timesLMDB(2.5)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W9", operations: setting.people.scale) {
      try peer.deleteOneByOne(sparing: 0)
      return peer.digest
    }
  }

  /// A peer that deletes all may drop its trees; this leaves one person in a hundred.
  static let w9Most = Workload(
    "W9/99", "delete 99 % one by one, save", per: "deleted object", on: .empty,
    target: .timesLMDB(2.5)
  ) { peer, setting in
    try peer.open()
    defer { try? peer.close() }
    let scale = setting.people.scale
    try peer.insert(1...scale, perSave: scale)
    return try setting.measure("W9/99", operations: scale - scale / 100) {
      try peer.deleteOneByOne(sparing: 100)
      return peer.digest
    }
  }

  static let w9b = Workload(
    "W9b", "batch delete of everything", per: "object", on: .batched, target: .timesLMDB(15)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W9b", operations: setting.people.scale) {
      try peer.deleteAtOnce()
      return peer.digest
    }
  }
}

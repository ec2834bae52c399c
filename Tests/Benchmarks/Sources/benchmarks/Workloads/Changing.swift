// SPDX-License-Identifier: Apache-2.0

extension Workload {
  static let w8 = Workload(
    "W8", "change one unindexed field of all, save", per: "object", on: .bulk,
    target: .timesLMDB(1.7)
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
      try peer.deleteOneByOne()
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

// SPDX-License-Identifier: Apache-2.0
import Strata

// Saves of one change: the fixed cost of a save.

extension Workload {
  /// A turn of the parent follows each save, so that the parent has merged it.
  static let s1 = Workload(
    "S1", "a child changes one object and saves to its parent, in memory", per: "save",
    targets: ["S1": .instructions(30_000)]
  ) { setting in
    let store = try setting.reference.contents()
    let parent = ContextQueue(parent: store.coordinator)
    let child = ContextQueue(parent: parent)
    let ids = setting.people.shuffledSerials.prefix(changedCount).map {
      store.personIDs[Int($0) - 1]
    }
    func save(_ index: Int) throws {
      try child.performAndWait { context in
        try context.existingObject(Person.self, with: ids[index % ids.count]).score += 1
        try context.save()
      }
      try parent.performAndWait { _ in }
    }
    for index in ids.indices { try save(index) }
    let figure = try setting.measure("S1", operations: 1_000) {
      for index in 0..<1_000 { try save(index) }
      return { 0 }
    }
    return [figure]
  }

  /// Durable and not: the second is what the peer itself costs.
  static let s2 = Workload(
    "S2", "change one registered object and save, durably; the same without waiting for the disk",
    per: "save", on: .bulk, targets: ["S2/unsynced": .instructions(40_000)], waiting: ["S2"]
  ) { peer, setting in
    let serials = Array(setting.people.shuffledSerials.prefix(changedCount))
    func measure(_ name: String, _ count: Int) throws -> Figure {
      let save = try peer.makeSingleChanger(serials)
      for index in serials.indices { try save(index) }
      return try setting.measure(name, operations: count) {
        for index in 0..<count { try save(index) }
        return peer.digest
      }
    }
    let durable = try measure("S2", 100)
    try peer.close()
    try peer.open(.unsynced)
    let unsynced = try measure("S2/unsynced", 1_000)
    try peer.close()
    try peer.open()
    return [durable, unsynced]
  }

  /// How many objects take turns in being changed.
  private static let changedCount = 64
}

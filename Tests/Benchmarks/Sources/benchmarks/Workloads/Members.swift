// SPDX-License-Identifier: Apache-2.0

// A relationship from its many side.

extension Workload {
  /// All objects are registered, and take their turns in order of serial. Changes are pending and
  /// are dropped in the end, so no save is measured.
  static let members = Workload(
    "L", "a relationship of 100,000 members: count, contains, insert, remove", per: "call",
    on: .empty,
    targets: [
      "L/count": .nanoseconds(30_000), "L/contains": .nanoseconds(88),
      "L/insert": .nanoseconds(277), "L/remove": .nanoseconds(190),
    ]
  ) { _, setting in
    let people = People(members: memberCount, spare: changeCount)
    let peer = setting.peer.type!.init(people, at: setting.file)
    try peer.open(.unsynced)
    defer { try? peer.close() }
    let all = memberCount + changeCount
    try peer.insert(1...all, perSave: all)
    let spare = (memberCount + 1...all).map { UInt32($0) }
    let leaving = (1...changeCount).map { UInt32($0) }

    try peer.prepareMembers()
    let asked = leaving + spare
    let contains = try setting.measure("L/contains", operations: asked.count) {
      let found = try peer.membersAmong(asked)
      return { UInt64(found) }
    }
    // Each count follows a change, so an answer cannot be remembered.
    let counts = try setting.measure("L/count", operations: 20) {
      let sum = try peer.countMembers(afterRemovingEachOf: Array(leaving.prefix(20)))
      return { UInt64(sum) }
    }
    try peer.takeBackMembers()

    try peer.prepareMembers()
    let inserts = try setting.measure("L/insert", operations: spare.count) {
      try peer.insertMembers(spare)
      return { UInt64(try peer.membersAmong(asked)) }
    }
    let removes = try setting.measure("L/remove", operations: leaving.count) {
      try peer.removeMembers(leaving)
      return { UInt64(try peer.membersAmong(asked)) }
    }
    try peer.takeBackMembers()
    return [counts, contains, inserts, removes]
  }

  static let allMembers = Workload(
    "L/all", "from each company to all its employees, the age of each", per: "member", on: .bulk
  ) { peer, setting in
    peer.forget()
    return try setting.measure("L/all", operations: setting.people.scale) {
      let sum = try peer.readAllMembers()
      return { sum }
    }
  }

  private static let memberCount = 100_000
  /// How many are inserted, and how many removed.
  private static let changeCount = 10_000
}

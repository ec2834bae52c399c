// SPDX-License-Identifier: Apache-2.0
import CPeople
import Strata

extension Workload {
  /// The pending changes are of scores, so that both fetches give the same objects.
  static let w14 = Workload(
    "W14", "an indexed fetch of 32 objects in a child, 20,000 changes pending in its parent",
    per: "query", targets: ["W14": .times(1.25, of: "W14/none-pending")]
  ) { setting in
    let store = try setting.reference.contents()
    let names = setting.people.someNames(300)
    let clean = ContextQueue(parent: store.coordinator)
    let changed = ContextQueue(parent: store.coordinator)
    let count = min(20_000, setting.people.scale / 2)
    try changed.performAndWait { context in
      for serial in setting.people.shuffledSerials.prefix(count) {
        try context.object(Person.self, with: store.personIDs[Int(serial) - 1]).score += 1
      }
    }
    let none = try measureReads(
      setting, "W14/none-pending", of: names, in: ContextQueue(parent: clean))
    var pending = try measureReads(setting, "W14", of: names, in: ContextQueue(parent: changed))
    pending.notes = ["\(count) objects changed in the parent"]
    return [none, pending]
  }

  /// Fetches by name, each in a turn of its own.
  static func measureReads(
    _ setting: Setting, _ workload: String, of names: [UInt32], in queue: ContextQueue
  ) throws -> Figure {
    try setting.measure(workload, operations: names.count) {
      var sum: UInt64 = 0
      for name in names { sum &+= try queue.personSum(named: People.name(Int(name))) }
      return { sum }
    }
  }
}

extension ContextQueue {
  /// Reads the persons of a name in one turn: W6's query.
  func personSum(named name: String) throws -> UInt64 {
    try performAndWait { context in
      try context.fetch(Person.where { $0.name == name }).reduce(0) {
        $0 &+ benchmarks.personSum(age: $1.age, name: $1.name)
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import CPeople
import Strata

extension Workload {
  /// Each level between the reader and the store has 100 changes pending.
  static let w16 = Workload(
    "W16", "W6's query through 1, 2, 4 and 8 nested contexts", per: "query",
    targets: [
      "W16/2": .times(1.15, of: "W16"), "W16/4": .times(1.45, of: "W16"),
      "W16/8": .times(2.05, of: "W16"),
    ]
  ) { setting in
    let store = try setting.reference.contents()
    let names = setting.people.someNames(300)
    return try [1, 2, 4, 8].map { depth in
      var parent: any ContextParent = store.coordinator
      for level in 1..<depth {
        let queue = ContextQueue(parent: parent)
        try queue.performAndWait { context in
          for index in 0..<100 {
            let serial = people_mix(UInt64(level * 100 + index)) % UInt64(setting.people.scale)
            try context.object(Person.self, with: store.personIDs[Int(serial)]).score += 1
          }
        }
        parent = queue
      }
      return try measureReads(
        setting, depth == 1 ? "W16" : "W16/\(depth)", of: names, in: ContextQueue(parent: parent))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Compares each way to read records with the edits.
@Suite struct `Records that are read from a snapshot` {
  @Test(arguments: [0, 1, 2, 31, 32, 33, 64, 700])
  func `are the same one by one, together and by a walk`(count: Int) throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let store = try LMDBStore.open(
      at: folder.file("store").path, model: Atlas.model(), durability: .none)
    let city = store.schema.of(Atlas.city).number
    var keys: Set<ObjectKey> = []
    for _ in 0..<3 {
      var edit = Edit(store)
      for key in keys.sorted().shuffled(using: &random).prefix(count / 10) {
        try edit.delete(key)
        keys.remove(key)
      }
      for number in 0..<count {
        let name = String(repeating: "n", count: number % 97)
        let key = edit.insert(Atlas.city, ["name": .string(name), "population": .int(1)])
        keys.insert(key)
      }
      try edit.save()
      let snapshot = try store.snapshot()
      let sought =
        (keys.sorted() + (0..<20).map { ObjectKey(entity: city, serial: 1 << 40 + $0) })
        .shuffled(using: &random)
      var one: [ObjectKey: Record] = [:]
      for key in sought { one[key] = try snapshot.record(for: key)?.record }
      #expect(Set(one.keys) == keys, "seed \(seed)")
      var together: [ObjectKey: [UInt8]] = [:]
      var order: [ObjectKey] = []
      try snapshot.visitRecords(of: sought) { key, _, record in
        order.append(key)
        together[key] = record.map([UInt8].init)
      }
      #expect(order == sought, "seed \(seed)")
      let expected = one.mapValues { record in record.withUnsafeBytes { [UInt8]($0) } }
      #expect(together == expected, "seed \(seed)")
      var walked: [ObjectKey] = []
      try snapshot.scanRecords(of: city) { key, _, record in
        walked.append(key)
        #expect(record.elementsEqual(expected[key] ?? []), "seed \(seed)")
        return .more
      }
      #expect(walked == keys.sorted(), "seed \(seed)")
    }
  }
}

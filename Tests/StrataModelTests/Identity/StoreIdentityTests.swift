// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import Testing

@Suite struct `The identity of several stores` {
  private let stores = [StoreIdentity(UUID()), StoreIdentity(UUID())]
  private let group: StoreIdentity

  init() { group = StoreIdentity(groupOf: [0: stores[0], 3: stores[1]]) }

  private func key(_ serial: UInt64) -> ObjectKey {
    ObjectKey(entity: EntityNumber(rawValue: 1), serial: serial)
  }

  @Test func `is one for the same stores, and another for others`() {
    #expect(group == StoreIdentity(groupOf: [3: stores[1], 0: stores[0]]))
    #expect(group != StoreIdentity(groupOf: [0: stores[0], 2: stores[1]]))
    #expect(group.isGroup)
    #expect(!stores[0].isGroup)
  }

  @Test func `gives each object the ID that it has in its own store`() {
    let last: UInt64 = 1 << 40 - 1
    #expect(ObjectID(store: group, key: key(last)) == ObjectID(store: stores[0], key: key(last)))
    let first: UInt64 = 3 << 40
    #expect(ObjectID(store: group, key: key(first)) == ObjectID(store: stores[1], key: key(first)))
  }

  @Test func `has the objects of its stores and no others`() {
    #expect(group.has(ObjectID(store: stores[0], key: key(1))))
    #expect(group.has(ObjectID(store: stores[1], key: key(3 << 40))))
    #expect(!group.has(ObjectID(store: stores[1], key: key(1))))
    #expect(!group.has(ObjectID(store: StoreIdentity(UUID()), key: key(1))))
    #expect(!stores[0].has(ObjectID(store: stores[1], key: key(3 << 40))))
    #expect(stores[1].has(ObjectID(store: stores[1], key: key(3 << 40))))
    // An object that cannot be saved has an ID all the same.
    #expect(group.has(ObjectID(store: group, key: key(ObjectKey.serialMax))))
  }

  @Test func `follows from IDs, unless no coordinator can have all of them`() {
    let ids = [
      ObjectID(store: stores[0], key: key(1)), ObjectID(store: stores[1], key: key(3 << 40)),
      ObjectID(store: stores[0], key: key(2)),
    ]
    #expect(StoreIdentity(having: ids) == group)
    #expect(StoreIdentity(having: [ids[0], ids[2]]) == stores[0])
    #expect(StoreIdentity(having: [ids[1]]) == stores[1])
    #expect(StoreIdentity(having: []) == nil)
    #expect(StoreIdentity(having: ids + [ObjectID(store: stores[1], key: key(5))]) == nil)
  }
}

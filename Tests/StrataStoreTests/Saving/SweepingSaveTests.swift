// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Saves that rewrite trees or empty them. `A random history` covers random ones.
@Suite struct `A save of most of the store` {
  private func insert(
    _ count: Int, _ entity: EntityDescription, _ attribute: String, in store: any PersistentStore
  ) throws -> [ObjectKey] {
    var edit = Edit(store)
    let keys = (0..<count).map { number in
      edit.insert(entity, [attribute: .string("\(entity.name) \(number)")])
    }
    try edit.save()
    return keys
  }

  @Test(arguments: StoreKind.allCases)
  func `that deletes all of an entity leaves the index that others inherit`(
    _ kind: StoreKind
  ) throws {
    try kind.withStore { store in
      let mayors = try insert(200, Atlas.mayor, "email", in: store)
      let geographers = try insert(100, Atlas.geographer, "email", in: store)
      var edit = Edit(store)
      for key in mayors { try edit.delete(key) }
      let writes = try edit.save().writes
      #expect(writes.recordsDeleted == 200)
      #expect(try Set(store.keys(byIndex: "email", of: Atlas.geographer)) == Set(geographers))
      #expect(try store.snapshot().count(of: mayors[0].entity) == 0)
      var other = Edit(store)
      for key in geographers { try other.delete(key) }
      #expect(try other.save().writes.treesEmptied > 1)
      #expect(try store.keys(byIndex: "email", of: Atlas.geographer).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `that deletes all of an entity and inserts others keeps those`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let mayors = try insert(200, Atlas.mayor, "email", in: store)
      var edit = Edit(store)
      for key in mayors { try edit.delete(key) }
      let geographer = edit.insert(Atlas.geographer, ["email": .string("Mayor 7")])
      let mayor = edit.insert(Atlas.mayor, ["email": .string("Mayor 8")])
      let writes = try edit.save().writes
      #expect(writes.treesEmptied == 0 && writes.treesRewritten > 0)
      #expect(try store.keys(byIndex: "email", of: Atlas.geographer) == [geographer, mayor])
      #expect(try store.value("email", of: mayor) == .string("Mayor 8"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `that deletes nearly all records keeps the others`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let cities = try insert(500, Atlas.city, "name", in: store)
      var edit = Edit(store)
      for (place, key) in cities.enumerated() {
        if place % 10 == 3 {
          try edit.update(key, ["name": .string("changed \(place)")])
        } else if place % 10 != 7 {
          try edit.delete(key)
        }
      }
      let writes = try edit.save().writes
      #expect(writes.treesRewritten == 2 && writes.recordsDeleted == 400)
      for (place, key) in cities.enumerated() {
        switch place % 10 {
        case 3: #expect(try store.value("name", of: key) == .string("changed \(place)"))
        case 7: #expect(try store.value("name", of: key) == .string("City \(place)"))
        default: #expect(try store.snapshot().record(for: key) == nil)
        }
      }
    }
  }

  /// Each rewrites trees that the one before it has rewritten, in one transaction.
  @Test(arguments: StoreKind.allCases)
  func `shares a transaction with others`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let cities = try insert(900, Atlas.city, "name", in: store)
      let isHeld = DispatchSemaphore(value: 0)
      let mayGoOn = DispatchSemaphore(value: 0)
      let isDone = DispatchGroup()
      var holding = Edit(store)
      holding.insert(Atlas.country)
      store.commit(holding.changeSet) { _ in
        isHeld.signal()
        mayGoOn.wait()
      }
      isHeld.wait()
      for part in 0..<3 {
        var edit = Edit(store)
        for (place, key) in cities.enumerated() where place % 3 == part {
          if part == 2 {
            try edit.delete(key)
          } else {
            try edit.update(key, ["name": .string("\(part) \(place)")])
          }
        }
        isDone.enter()
        store.commit(edit.changeSet) { result in
          #expect((try? result.get()) != nil)
          isDone.leave()
        }
      }
      mayGoOn.signal()
      isDone.wait()
      let expected = cities.enumerated().filter { $0.offset % 3 != 2 }
      let byName = expected.sorted {
        "\($0.offset % 3) \($0.offset)" < "\($1.offset % 3) \($1.offset)"
      }
      #expect(try store.keys(byIndex: "name", of: Atlas.city) == byName.map(\.element))
      for (place, key) in expected {
        #expect(try store.value("name", of: key) == .string("\(place % 3) \(place)"))
      }
    }
  }

  @Test func `leaves a reader its former state`() throws {
    try StoreKind.disk.withStore { store in
      let cities = try insert(500, Atlas.city, "name", in: store)
      let before = try store.snapshot()
      for round in 0..<5 {
        var edit = Edit(store)
        for key in cities { try edit.update(key, ["name": .string("\(round) \(key.serial % 97)")]) }
        #expect(try edit.save().writes.treesRewritten == 1)
      }
      var names = 0
      for (place, key) in cities.enumerated() {
        let name = try store.value("name", of: key, in: before)
        if name == .string("City \(place)") { names += 1 }
      }
      #expect(names == 500)
      var found: [ObjectKey] = []
      try before.scanIndex(
        store.schema.index("name", of: Atlas.city).number, in: KeyRange(), isReversed: false
      ) { _, key in
        found.append(key)
        return .more
      }
      #expect(Set(found) == Set(cities) && found.count == 500)
    }
  }

  // MARK: - Damage

  /// Makes a city's name a block of the index that cannot be.
  private func breakBlock(of city: Int, in path: String) throws {
    var options = EnvironmentOptions()
    options.durability = .none
    try Environment.open(at: path, options: options).writeSync { transaction in
      guard let tree = try transaction.tree(named: "i1") else { throw Absent() }
      let key = try {
        var cursor = try transaction.cursor(in: tree)
        while try cursor.next() {
          if String(decoding: cursor.key, as: UTF8.self).contains("City \(city)\u{1}") {
            return [UInt8](cursor.key)
          }
        }
        throw Absent()
      }()
      try key.withUnsafeBytes { key in
        try [UInt8]([0x80]).withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
  }

  @Test func `is refused if a block that it changes is damaged, and ignores other blocks`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    let cities = try insert(300, Atlas.city, "name", in: store)
    try #require(store.schema.of(Atlas.city).number.rawValue == 1)
    try breakBlock(of: 17, in: path)
    var edit = Edit(store)
    for (place, key) in cities.enumerated() where place != 17 {
      try edit.update(key, ["name": .string("new \(place)")])
    }
    #expect(try edit.save().writes.treesRewritten == 1)
    #expect(try store.value("name", of: cities[18]) == .string("new 18"))
    var all = Edit(store)
    for (place, key) in cities.enumerated() {
      try all.update(key, ["name": .string("newer \(place)")])
    }
    #expect { try all.save() } throws: { error in
      if case StoreError.damaged("i1", nil, _) = error { true } else { false }
    }
    for (place, key) in cities.enumerated() {
      let name = try store.value("name", of: key)
      #expect(name == .string(place == 17 ? "City 17" : "new \(place)"))
    }
    store.close()
  }
}

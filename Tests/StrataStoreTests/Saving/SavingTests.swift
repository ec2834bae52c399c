// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

@Suite struct `A save to the store` {
  @Test(arguments: StoreKind.allCases)
  func `is shown by the next snapshot`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      #expect(try store.snapshot().generation == 0)
      var edit = Edit(store)
      let key = edit.insert(Atlas.city, ["name": .string("Lavāsān"), "population": .int(18_146)])
      #expect(try edit.save().generation == 1)
      let snapshot = try store.snapshot()
      #expect(snapshot.generation == 1)
      #expect(try snapshot.contains(key))
      #expect(try snapshot.count(of: key.entity) == 1)
      #expect(try store.value("name", of: key) == .string("Lavāsān"))
      #expect(try store.value("area", of: key) == .null)
      #expect(try store.stored(key).generation == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `updates and deletes`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let kept = first.insert(Atlas.city, ["name": .string("a"), "population": .int(1)])
      let gone = first.insert(Atlas.city, ["name": .string("b"), "population": .int(2)])
      try first.save()
      var second = Edit(store)
      try second.update(kept, ["population": .int(3)])
      try second.delete(gone)
      try second.save()
      #expect(try store.value("population", of: kept) == .int(3))
      #expect(try store.value("name", of: kept) == .string("a"))
      #expect(try store.snapshot().record(for: gone) == nil)
      #expect(try store.keys(byIndex: "name", of: Atlas.city) == [kept])
      #expect(try store.keys(byIndex: "population", of: Atlas.city) == [kept])
      #expect(try store.snapshot().count(of: kept.entity) == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `finds neighbours and distant objects, with deletions in between`(
    _ kind: StoreKind
  ) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let keys = (0..<300).map {
        first.insert(Atlas.city, ["name": .string("a"), "population": .int(Int64($0))])
      }
      try first.save()
      let read = try keys.map { try store.stored($0) }
      var gone: Set<ObjectKey> = []
      var deletion = Edit(store)
      for (number, key) in keys.enumerated() where number % 7 == 3 || 100..<120 ~= number {
        try deletion.delete(key)
        gone.insert(key)
      }
      try deletion.save()

      var stale = Edit(store)
      for (key, base) in zip(keys, read) { stale.update(key, from: base, ["population": .int(0)]) }
      let expected = gone
      #expect {
        try stale.save()
      } throws: { error in
        guard case StoreError.conflicts(let conflicts) = error else { return false }
        return Set(conflicts.map(\.objectID.key)) == expected
      }

      for stride in [1, 2, 9, 40] {
        var edit = Edit(store)
        for (number, key) in keys.enumerated() where number % stride == 0 && !gone.contains(key) {
          let name = number % 5 == 0 ? "a longer name" : "b"
          try edit.update(
            key, ["population": .int(Int64(1_000 * stride + number)), "name": .string(name)])
        }
        try edit.save()
      }
      let stays = keys.indices.filter { !gone.contains(keys[$0]) }
      var byPopulation: [(Int, ObjectKey)] = []
      for number in stays {
        let stride = [40, 9, 2].first { number % $0 == 0 } ?? 1
        let population = 1_000 * stride + number
        #expect(try store.value("population", of: keys[number]) == .int(Int64(population)))
        byPopulation.append((population, keys[number]))
      }
      let found = try store.keys(byIndex: "population", of: Atlas.city)
      #expect(found == byPopulation.sorted { $0.0 < $1.0 }.map(\.1))
      #expect(try store.snapshot().count(of: keys[0].entity) == stays.count)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `leaves transient values out`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      let key = edit.insert(Atlas.city, ["name": .string("a"), "note": .string("not stored")])
      try edit.save()
      #expect(try store.value("note", of: key) == .null)
      var transientOnly = Edit(store)
      try transientOnly.update(key, ["note": .string("again")])
      try transientOnly.save()
      #expect(try store.stored(key).generation == 1, "the stored record has not changed")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is invisible to snapshots that were taken before`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let key = first.insert(Atlas.city, ["name": .string("a")])
      try first.save()
      let before = try store.snapshot()
      var second = Edit(store)
      try second.update(key, ["name": .string("b")])
      let other = second.insert(Atlas.city, ["name": .string("c")])
      try second.save()
      #expect(try store.value("name", of: key, in: before) == .string("a"))
      #expect(try !before.contains(other))
      #expect(try before.count(of: key.entity) == 1)
      #expect(try store.value("name", of: key) == .string("b"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `tags its segments with the generation that it gets`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      let key = edit.insert(Atlas.city)
      let changeSet = edit.changeSet
      #expect(changeSet.segments.allSatisfy { $0.tag == nil })
      let result = try store.commit(changeSet)
      let place = try #require(store.place(of: key))
      let tag = CommitTag.tag(result.generation, ofStoreAt: place)
      #expect(changeSet.segments.map(\.tag) == [tag])

      var refused = Edit(store)
      refused.insert(Atlas.city, ["name": .string("another")], key: key)
      let late = refused.changeSet
      #expect { try store.commit(late) } throws: {
        if case StoreError.conflicts = $0 { true } else { false }
      }
      #expect(late.segments.allSatisfy { $0.tag == nil })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `reaches every record of an entity in order`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      let keys = (0..<500).map { edit.insert(Atlas.city, ["population": .int($0)]) }
      edit.insert(Atlas.tag, ["label": .string("x")])
      try edit.save()
      var scanned: [ObjectKey] = []
      try store.snapshot().scanRecords(of: keys[0].entity) { key, generation, bytes in
        #expect(generation == 1 && bytes.count > 0)
        scanned.append(key)
        return scanned.count < 400 ? .more : .stop
      }
      #expect(scanned == Array(keys[..<400]))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is refused by a closed store`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      edit.insert(Atlas.city)
      let held = try store.snapshot()
      store.close()
      #expect(try held.count(of: store.schema.of(Atlas.city).number) == 0)
      #expect { try edit.save() } throws: { if case StoreError.closed = $0 { true } else { false } }
      #expect { try store.snapshot() } throws: {
        if case StoreError.closed = $0 { true } else { false }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `can be awaited`(_ kind: StoreKind) async throws {
    let store = try LMDBStore.inMemory(model: Atlas.model())
    var edit = Edit(store)
    edit.insert(Atlas.city)
    let result = try await store.commit(edit.changeSet)
    #expect(result.generation == 1)
  }
}

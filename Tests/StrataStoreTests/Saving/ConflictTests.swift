// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

/// A city with name "a", population 1 and area 1, as read before another save changed its name to
/// "theirs" and its area to 9.
private struct Overtaken {
  let store: any PersistentStore
  let key: ObjectKey
  let base: StoredRecord

  init(_ store: any PersistentStore) throws {
    self.store = store
    var first = Edit(store)
    key = first.insert(
      Atlas.city, ["name": .string("a"), "population": .int(1), "area": .double(1)])
    try first.save()
    base = try store.stored(key)
    var other = Edit(store)
    other.update(key, from: base, ["name": .string("theirs"), "area": .double(9)])
    try other.save()
  }

  /// Our change of the name and the population.
  func edit(_ policy: MergePolicy) -> Edit {
    var edit = Edit(store, policy: policy)
    edit.update(key, from: base, ["name": .string("ours"), "population": .int(2)])
    return edit
  }

  var values: [PropertyValue] {
    get throws { try ["name", "population", "area"].map { try store.value($0, of: key) } }
  }
}

private func conflicts(_ error: any Error) -> [MergePolicy.Conflict] {
  if case StoreError.conflicts(let conflicts) = error { conflicts } else { [] }
}

@Suite struct `An object that another save has changed` {
  @Test(arguments: StoreKind.allCases)
  func `is a conflict with base, ours and theirs`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let overtaken = try Overtaken(store)
      do {
        try overtaken.edit(.error).save()
        Issue.record("the save went through")
      } catch {
        let conflict = try #require(conflicts(error).first)
        #expect(conflict.objectID == store.id(overtaken.key))
        #expect(conflict.baseValues?["name"] == .string("a"))
        #expect(conflict.ourValues?["name"] == .string("ours"))
        #expect(conflict.theirValues?["name"] == .string("theirs"))
      }
      #expect(try overtaken.values == [.string("theirs"), .int(1), .double(9)])
      #expect(try store.snapshot().generation == 2, "nothing was written")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `reports all conflicts of a save at once`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let (one, two) = (try Overtaken(store), try Overtaken(store))
      var edit = one.edit(.error)
      edit.update(two.key, from: two.base, ["population": .int(7)])
      #expect { try edit.save() } throws: { conflicts($0).count == 2 }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is none if its bytes equal those that were read`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let overtaken = try Overtaken(store)
      var back = Edit(store)
      try back.update(overtaken.key, ["name": .string("a"), "area": .double(1)])
      try back.save()
      try overtaken.edit(.error).save()
      #expect(try overtaken.values == [.string("ours"), .int(2), .double(1)])
    }
  }

  /// Two savers that count up by one from the same base want the same, and one would be lost.
  @Test(arguments: StoreKind.allCases)
  func `is a conflict also if both want the same`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let overtaken = try Overtaken(store)
      var same = Edit(store)
      same.update(
        overtaken.key, from: overtaken.base, ["name": .string("theirs"), "area": .double(9)])
      #expect { try same.save() } throws: { conflicts($0).count == 1 }
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      (MergePolicy.mergeByPropertyStoreTrump, "theirs", 2, 9.0),
      (.mergeByPropertyObjectTrump, "ours", 2, 9.0), (.overwrite, "ours", 2, 1.0),
      (.rollback, "theirs", 1, 9.0),
    ])
  func `ends as the merge policy says`(
    _ kind: StoreKind, _ expected: (MergePolicy, String, Int64, Double)
  ) throws {
    let (policy, name, population, area) = expected
    try kind.withStore { store in
      let overtaken = try Overtaken(store)
      let result = try overtaken.edit(policy).save()
      #expect(try overtaken.values == [.string(name), .int(population), .double(area)])
      if let merged = result.merged[overtaken.key] {
        #expect(try merged == store.stored(overtaken.key).record)
      } else {
        #expect(policy == .overwrite)
      }
      #expect(
        try store.keys(
          byIndex: "name", of: Atlas.city,
          in: KeyRange(lower: Array(name.utf8), upper: Array((name + "~").utf8)))
          == [overtaken.key])
      #expect(try store.keys(byIndex: "name", of: Atlas.city).count == 1)
    }
  }
}

@Suite struct `An object that another save has deleted` {
  private func deleted(_ store: any PersistentStore) throws -> (ObjectKey, StoredRecord) {
    var first = Edit(store)
    let key = first.insert(Atlas.city, ["name": .string("a")])
    try first.save()
    let base = try store.stored(key)
    var other = Edit(store)
    other.delete(key, from: base)
    try other.save()
    return (key, base)
  }

  @Test(arguments: StoreKind.allCases)
  func `is a conflict for an update`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let (key, base) = try deleted(store)
      var edit = Edit(store)
      edit.update(key, from: base, ["name": .string("b")])
      #expect { try edit.save() } throws: { conflicts($0).first?.theirValues == nil }
      #expect(try !store.snapshot().contains(key))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `comes back if the whole object is overwritten, and stays away if not`(
    _ kind: StoreKind
  ) throws {
    try kind.withStore { store in
      let (key, base) = try deleted(store)
      for policy in [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump] {
        var giving = Edit(store, policy: policy)
        giving.update(key, from: base, ["name": .string("b")])
        let result = try giving.save()
        #expect(result.merged[key] == .some(nil))
        #expect(try !store.snapshot().contains(key))
      }
      var taking = Edit(store, policy: .overwrite)
      taking.update(key, from: base, ["name": .string("b")])
      try taking.save()
      #expect(try store.value("name", of: key) == .string("b"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `may be deleted once more`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let (key, base) = try deleted(store)
      var edit = Edit(store)
      edit.delete(key, from: base)
      try edit.save()
      #expect(try !store.snapshot().contains(key))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `may not be inserted over another's`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let key = first.insert(Atlas.city, ["name": .string("a")])
      try first.save()
      var second = Edit(store)
      second.insert(Atlas.city, ["name": .string("b")], key: key)
      #expect { try second.save() } throws: { conflicts($0).count == 1 }
    }
  }
}

extension MergePolicy {
  /// For the names of test cases.
  var testDescription: String { String(describing: self) }
}

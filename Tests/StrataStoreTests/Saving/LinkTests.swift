// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

private func links(_ error: any Error) -> [StoreError.DanglingLink] {
  if case StoreError.danglingLinks(let links) = error { links } else { [] }
}

@Suite struct `A to-one link` {
  @Test(arguments: StoreKind.allCases)
  func `needs a target, in the store or in the same save`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let country = first.insert(Atlas.country)
      let city = first.insert(Atlas.city, ["country": .object(store.id(country))])
      try first.save()
      var second = Edit(store)
      let other = second.insert(Atlas.city, ["country": .object(store.id(country))])
      try second.save()
      #expect(try store.keys(byIndex: "country", of: Atlas.city) == [city, other])

      let nobody = ObjectKey(entity: country.entity, serial: country.serial + 1 << 30)
      var third = Edit(store)
      let lost = third.insert(Atlas.city, ["country": .object(store.id(nobody))])
      #expect { try third.save() } throws: {
        links($0) == [
          StoreError.DanglingLink(
            owner: store.id(lost), entity: "City", property: "country",
            target: store.id(nobody),
            cause: .missingTarget)
        ]
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `without a target is named with all others of its save`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let country = first.insert(Atlas.country)
      try first.save()
      let absent = [1, 2].map {
        ObjectKey(entity: country.entity, serial: country.serial + $0 << 30)
      }
      var second = Edit(store)
      let owners = absent.map { target in
        second.insert(Atlas.city, ["country": .object(store.id(target))])
      }
      second.insert(Atlas.city, ["country": .object(store.id(country))])
      #expect { try second.save() } throws: { error in
        let found = links(error).sorted { $0.owner.key < $1.owner.key }
        return found.map(\.owner) == owners.map { store.id($0) }
          && found.map(\.target) == absent.map { store.id($0) }
      }
      #expect(try store.keys(byIndex: "country", of: Atlas.city) == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `to an object that the same save deletes is refused`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let country = first.insert(Atlas.country)
      try first.save()
      var second = Edit(store)
      second.insert(Atlas.city, ["country": .object(store.id(country))])
      try second.delete(country)
      #expect { try second.save() } throws: { links($0).first?.cause == .missingTarget }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `that a deletion did not know stands in its way`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let country = first.insert(Atlas.country)
      let city = first.insert(Atlas.city)
      try first.save()
      let base = try store.stored(country)
      var linking = Edit(store)
      try linking.update(city, ["country": .object(store.id(country))])
      try linking.save()
      var deleting = Edit(store)
      deleting.delete(country, from: base)
      #expect { try deleting.save() } throws: {
        links($0) == [
          StoreError.DanglingLink(
            owner: store.id(city), entity: "City", property: "country",
            target: store.id(country),
            cause: .unknownReferrer)
        ]
      }
      try deleting.update(city, ["country": .null])
      try deleting.save()
      #expect(try store.value("country", of: city) == .null)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `goes with both ends`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let country = first.insert(Atlas.country)
      let city = first.insert(
        Atlas.city,
        ["country": .object(store.id(country)), "capitalOf": .object(store.id(country))])
      try first.update(
        country, from: .nothing(first, country), ["capital": .object(store.id(city))])
      first.changes[country] = .insert(try #require(first.changes[country]?.record), slots: [])
      try first.save()
      var second = Edit(store)
      try second.delete(country)
      try second.delete(city)
      try second.save()
      #expect(try store.keys(byIndex: "country", of: Atlas.city).isEmpty)
      #expect(try store.keys(byIndex: "capital", of: Atlas.country).isEmpty)
    }
  }
}

extension StoredRecord {
  /// The present state of an object that `edit` inserts.
  fileprivate static func nothing(_ edit: Edit, _ key: ObjectKey) throws -> StoredRecord {
    StoredRecord(record: try #require(edit.changes[key]?.record), generation: 0)
  }
}

@Suite struct `A to-many link` {
  @Test(arguments: StoreKind.allCases)
  func `is found from both ends, and goes from both`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let city = first.insert(Atlas.city)
      let (old, big) = (first.insert(Atlas.tag), first.insert(Atlas.tag))
      first.link(city, "tags", to: old)
      first.link(city, "tags", to: big)
      try first.save()
      #expect(try Set(store.targets("tags", of: city).keys) == [old, big])
      #expect(try Set(store.targets("cities", of: old).keys) == [city])
      var second = Edit(store)
      second.unlink(big, "cities", from: city)
      try second.save()
      #expect(try Set(store.targets("tags", of: city).keys) == [old])
      #expect(try store.targets("cities", of: big).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `needs both ends`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      let city = edit.insert(Atlas.city)
      let tag = store.schema.of(Atlas.tag).number
      let nobody = ObjectKey(entity: tag, serial: city.serial + 1 << 30)
      edit.link(city, "tags", to: nobody)
      #expect { try edit.save() } throws: { links($0).first?.target == store.id(nobody) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `goes with an object that is deleted`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let (one, two) = (first.insert(Atlas.country), first.insert(Atlas.country))
      let city = first.insert(Atlas.city)
      let tag = first.insert(Atlas.tag)
      let route = first.insert(Atlas.route)
      first.link(one, "neighbours", to: two)
      first.link(city, "tags", to: tag)
      first.link(route, "stops", to: city, position: 5)
      try first.save()
      #expect(try store.targets("neighbours", of: two) == [one: 0])
      #expect(try store.targets("stops", of: route) == [city: 5])
      var second = Edit(store)
      try second.delete(one)
      try second.delete(city)
      try second.save()
      #expect(try store.targets("neighbours", of: two).isEmpty)
      #expect(try store.targets("cities", of: tag).isEmpty)
      #expect(try store.targets("stops", of: route).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `that a deletion with a rule did not know stands in its way`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let (tag, city) = (first.insert(Atlas.tag), first.insert(Atlas.city))
      first.link(tag, "cities", to: city)
      try first.save()
      var second = Edit(store)
      try second.delete(tag)
      #expect { try second.save() } throws: { links($0).first?.cause == .unknownMember }
      second.unlink(tag, "cities", from: city)
      try second.save()
      #expect(try store.targets("tags", of: city).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `to an object whose deletion stands is dropped with our changes`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let (tag, city) = (first.insert(Atlas.tag), first.insert(Atlas.city))
      try first.save()
      let base = try store.stored(city)
      var other = Edit(store)
      try other.delete(city)
      try other.save()
      var ours = Edit(store, policy: .mergeByPropertyStoreTrump)
      ours.update(city, from: base, ["name": .string("b")])
      ours.link(tag, "cities", to: city)
      try ours.save()
      #expect(try store.targets("cities", of: tag).isEmpty)
    }
  }
}

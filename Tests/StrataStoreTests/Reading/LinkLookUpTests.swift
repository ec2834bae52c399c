// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

@Suite struct `A link that is looked up by itself` {
  @Test(arguments: StoreKind.allCases)
  func `equals the result of a walk over all links of its place`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      let cities = (0..<3).map { _ in edit.insert(Atlas.city) }
      let tags = (0..<3).map { _ in edit.insert(Atlas.tag) }
      let route = edit.insert(Atlas.route)
      for index in cities.indices {
        for tag in tags[..<index] { edit.link(cities[index], "tags", to: tag) }
        if index != 1 { edit.link(route, "stops", to: cities[index], position: 7 + UInt64(index)) }
      }
      try edit.save()
      let snapshot = try store.snapshot()
      func check(_ owner: ObjectKey, _ name: String, _ targets: [ObjectKey]) throws {
        let relationship = store.schema.relationship(name, of: owner.entity)
        guard case .links(let number, _) = relationship.storage else { return }
        let found = try store.targets(name, of: owner)
        for target in targets {
          let position = try snapshot.link(at: LinkPlace(number, owner), to: target)
          #expect(position == found[target])
        }
      }
      for city in cities { try check(city, "tags", tags) }
      for tag in tags { try check(tag, "cities", cities) }
      try check(route, "stops", cities)
      let stops = try store.targets("stops", of: route)
      #expect(stops == [cities[0]: 7, cities[2]: 9])
    }
  }
}

@Suite struct `An object that was deleted` {
  @Test(arguments: StoreKind.allCases)
  func `can be inserted again, with its ID`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let (old, newer) = (
        first.insert(Atlas.city, ["name": .string("Old")]),
        first.insert(Atlas.city, ["name": .string("Newer")])
      )
      try first.save()
      var second = Edit(store)
      try second.delete(old)
      try second.save()
      var third = Edit(store)
      third.insert(Atlas.city, ["name": .string("Again")], key: old)
      try third.save()
      #expect(try store.value("name", of: old) == .string("Again"))
      #expect(try store.keys(byIndex: "name", of: Atlas.city) == [old, newer])
    }
  }
}

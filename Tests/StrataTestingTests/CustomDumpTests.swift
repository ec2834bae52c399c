// SPDX-License-Identifier: Apache-2.0
#if CustomDump
  import CustomDump
  import Foundation
  import Strata
  import StrataTesting
  import Testing

  @Suite struct `A dump of swift-custom-dump` {
    @Test func `shows objects with plain values, and others by their short names`() throws {
      let store = try TestStore(atlas(), alps())
      let zurich = try store.objects["zurich"]
      try store.container.root.performAndWait { context in
        var text = ""
        customDump(try context.existingObject(City.self, with: zurich), to: &text)
        #expect(
          text == """
            City(
              objectID: City/3,
              name: "Zürich",
              population: 421878,
              rank: nil,
              note: nil,
              country: Country/1
            )
            """)
      }
    }

    @Test func `shows the members of relationships by their short names`() throws {
      let store = try TestStore(atlas(), alps())
      let switzerland = try store.objects["switzerland"]
      try store.container.root.performAndWait { context in
        var text = ""
        let country = try context.existingObject(Country.self, with: switzerland)
        customDump(country.cities, to: &text)
        #expect(text.contains("City/3") && text.contains("City/4"))
        let route = Route(context: context)
        route.stops.append(contentsOf: country.cities.sorted { $0.name < $1.name })
        text = ""
        customDump(route.stops, to: &text)
        #expect(text == "[\n  [0]: City/4,\n  [1]: City/3\n]")
      }
    }

    @Test func `adds the differing lines of texts and encoded values to a difference`() throws {
      let store = try TestStore(atlas(), Fixture { ["a": Sample(context: $0)] })
      let id = try store.objects["a"]
      try store.container.root.performAndWait { context in
        let sample = try context.existingObject(Sample.self, with: id)
        let lines = try differences {
          try expectChanges(in: context) {
            sample.text = "one\ntwo\nthree"
            sample.address = Address(city: "Bern", street: "Quai 1")
          } to: {
            Updated(id, \Sample.text, from: nil, to: "one\nTWO\nthree")
            Updated(id, \Sample.address, from: nil, to: Address(city: "Bern", street: "Quai 2"))
          }
        }
        let details = lines.filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
        #expect(details.contains("− TWO") && details.contains("+ two"))
        #expect(details.contains("−   \"street\" : \"Quai 2\""))
        #expect(details.contains("+   \"street\" : \"Quai 1\""))
      }
    }
  }
#endif

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

private func violations(_ error: any Error) -> [StoreError.UniquenessViolation] {
  if case StoreError.uniquenessViolations(let violations) = error { violations } else { [] }
}

@Suite struct `A unique value` {
  @Test(arguments: StoreKind.allCases)
  func `is refused if the store has it, all at once, and nothing is written`(
    _ kind: StoreKind
  ) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let iran = first.insert(Atlas.country, ["iso": .string("IR")])
      first.insert(Atlas.country, ["iso": .string("IQ")])
      try first.save()
      var second = Edit(store)
      let other = second.insert(Atlas.country, ["iso": .string("IR")])
      second.insert(Atlas.country, ["iso": .string("IQ")])
      second.insert(Atlas.country, ["iso": .string("IT")])
      #expect { try second.save() } throws: { error in
        violations(error).count == 2
          && violations(error).contains(
            StoreError.UniquenessViolation(
              objectID: store.id(other), entity: "Country", properties: ["iso"],
              existing: store.id(iran)))
      }
      #expect(try store.snapshot().count(of: iran.entity) == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is refused twice in one save`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var edit = Edit(store)
      edit.insert(Atlas.country, ["iso": .string("IR")])
      edit.insert(Atlas.country, ["iso": .string("IR")])
      #expect { try edit.save() } throws: { violations($0).count == 1 }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `may be nil many times`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      for _ in 0..<2 {
        var edit = Edit(store)
        edit.insert(Atlas.country)
        edit.insert(Atlas.country)
        try edit.save()
      }
      let country = store.schema.of(Atlas.country).number
      #expect(try store.snapshot().count(of: country) == 4)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `may be swapped, and taken from a deleted object`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let one = first.insert(Atlas.country, ["iso": .string("AA")])
      let two = first.insert(Atlas.country, ["iso": .string("BB")])
      try first.save()
      var swap = Edit(store)
      try swap.update(one, ["iso": .string("BB")])
      try swap.update(two, ["iso": .string("AA")])
      try swap.save()
      #expect(try store.keys(byIndex: "iso", of: Atlas.country) == [two, one])
      var replace = Edit(store)
      try replace.delete(one)
      let three = replace.insert(Atlas.country, ["iso": .string("BB")])
      try replace.save()
      #expect(try store.keys(byIndex: "iso", of: Atlas.country) == [two, three])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `belongs to the whole hierarchy`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      first.insert(Atlas.mayor, ["email": .string("a@b.c")])
      try first.save()
      var second = Edit(store)
      second.insert(Atlas.geographer, ["email": .string("a@b.c")])
      #expect { try second.save() } throws: { violations($0).first?.entity == "Geographer" }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is compared whole where keys are cut`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let long = String(repeating: "x", count: 400)
      var first = Edit(store)
      first.insert(Atlas.country, ["iso": .string(long + "1")])
      first.insert(Atlas.country, ["iso": .string(long + "2")])
      try first.save()
      var second = Edit(store)
      second.insert(Atlas.country, ["iso": .string(long + "3")])
      try second.save()
      var third = Edit(store)
      third.insert(Atlas.country, ["iso": .string(long + "2")])
      #expect { try third.save() } throws: { violations($0).count == 1 }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is the same in another normal form`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      first.insert(Atlas.country, ["iso": .string("\u{E9}")])
      try first.save()
      var second = Edit(store)
      second.insert(Atlas.country, ["iso": .string("e\u{301}")])
      #expect { try second.save() } throws: { violations($0).count == 1 }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `may be kept while others change`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let key = first.insert(Atlas.country, ["iso": .string("IR"), "name": .string("a")])
      try first.save()
      var second = Edit(store)
      try second.update(key, ["name": .string("b")])
      try second.save()
      var third = Edit(store)
      try third.update(key, ["name": .string("c")])
      third.insert(Atlas.country, ["iso": .string("IR")])
      #expect { try third.save() } throws: { violations($0).count == 1 }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

@Suite struct `Asking early for constraint conflicts` {
  @Test func `finds them in the context, its ancestors and the store`() throws {
    let container = try republic()
    let stored = try ContextQueue(parent: container.coordinator).performAndWait { context in
      let nation = context.nation("A")
      try context.save()
      return nation.objectID
    }
    let pending = try container.root.performAndWait { context in context.nation("B").objectID }
    try ContextQueue(parent: container.newBackgroundContext()).performAndWait { context in
      let none = try context.constraintConflicts()
      #expect(none.isEmpty)
      let (a, b) = (context.nation("A"), context.nation("B"))
      let (c, d) = (context.nation("C"), context.nation("C"))
      context.nation("D")
      context.nation(nil)
      context.nation(nil)
      let found = try context.constraintConflicts()
      #expect(found.map(\.objectID) == [a, b, d].map(\.objectID))
      #expect(found.map(\.existing) == [stored, pending, c.objectID])
      #expect(found.allSatisfy { $0.properties == ["iso"] && $0.entity == "Nation" })
    }
  }

  @Test func `looks at the state after the save`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let (one, two) = (context.nation("A"), context.nation("B"))
      let three = context.nation("C")
      try context.save()
      (one.iso, two.iso) = ("B", "A")
      context.delete(three)
      context.nation("C")
      let swapped = try context.constraintConflicts()
      #expect(swapped.isEmpty)
      two.iso = "C"
      let found = try context.constraintConflicts()
      #expect(found.count == 1)
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
    }
  }

  @Test func `finds properties that are unique together`() throws {
    let container = try republic()
    let nation = try container.root.performAndWait { context in
      let nation = context.nation("A")
      context.seat(1, of: nation)
      context.seat(nil, of: nation)
      try context.save()
      return nation.objectID
    }
    try container.newBackgroundContext().performAndWait { context in
      let nation = try context.existingObject(Nation.self, with: nation)
      context.seat(2, of: nation)
      context.seat(nil, of: nation)
      let seat = context.seat(1, of: nation)
      let found = try context.constraintConflicts()
      #expect(found.map(\.objectID) == [seat.objectID])
      #expect(found.map(\.properties) == [["nation", "number"]])
      seat.nation = nil
      let none = try context.constraintConflicts()
      #expect(none.isEmpty)
    }
  }

  @Test func `compares long values whole`() throws {
    let container = try republic()
    let long = String(repeating: "x", count: 300)
    try container.root.performAndWait { context in
      context.nation(long + "a")
      try context.save()
      context.nation(long + "b")
      let none = try context.constraintConflicts()
      #expect(none.isEmpty)
      context.nation(long + "a")
      let found = try context.constraintConflicts()
      #expect(found.count == 1)
    }
  }
}

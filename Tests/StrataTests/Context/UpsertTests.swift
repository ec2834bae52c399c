// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `An upsert` {
  @Test func `finds the object in the store, in an ancestor or here, or inserts it`() throws {
    let container = try republic()
    let stored = try ContextQueue(parent: container.coordinator).performAndWait { context in
      let nation = context.nation("A", population: 1)
      try context.save()
      return nation.objectID
    }
    let pending = try container.root.performAndWait { $0.nation("B").objectID }
    try container.newBackgroundContext().performAndWait { context in
      let a = try context.upsert(Nation.self, matching: \.iso, equals: "A") { $0.name = "a" }
      #expect(a.objectID == stored && a.population == 1 && a.name == "a" && a.isUpdated)
      let b = try context.upsert(Nation.self, matching: \.iso, equals: "B")
      #expect(b.objectID == pending)
      let c = try context.upsert(Nation.self, matching: \.iso, equals: "C") { $0.population = 3 }
      #expect(c.isInserted && c.iso == "C" && c.population == 3)
      let again = try context.upsert(Nation.self, matching: \.iso, equals: "C")
      #expect(again === c)
      c.iso = "D"
      let other = try context.upsert(Nation.self, matching: \.iso, equals: "C")
      #expect(other !== c)
      let one = try context.upsert(Nation.self, matching: \.iso, equals: nil)
      let two = try context.upsert(Nation.self, matching: \.iso, equals: nil)
      #expect(one !== two)
      context.delete(a)
      let anew = try context.upsert(Nation.self, matching: \.iso, equals: "A")
      #expect(anew !== a && anew.isInserted)
    }
  }

  @Test func `finds by several properties, in whatever order`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let nation = context.nation("A")
      context.seat(1, of: nation)
      try context.save()
      return nation.objectID
    }
    try container.root.performAndWait { context in
      let nation = try context.existingObject(Nation.self, with: id)
      let found = try context.upsert(
        Seat.self, matching: UniqueValue(\.number, equals: 1), UniqueValue(\.nation, equals: nation)
      ) { $0.holder = "found" }
      #expect(!found.isInserted && found.holder == "found")
      let new = try context.upsert(
        Seat.self, matching: UniqueValue(\.nation, equals: nation), UniqueValue(\.number, equals: 2)
      )
      #expect(new.isInserted && new.nation === nation && new.number == 2)
      #expect(nation.seats.count == 2)
      let coach = try context.upsert(
        Coach.self, matching: UniqueValue(\.club, equals: "P"),
        UniqueValue(\.rank, equals: Rank.first))
      let same = try context.upsert(
        Coach.self, matching: UniqueValue(\.club, equals: "P"),
        UniqueValue(\.rank, equals: Rank.first))
      #expect(coach === same && coach.rank == .first)
    }
  }

  @Test func `by inherited properties finds objects of the class, and says if it is another's`()
    throws
  {
    let container = try republic()
    try container.root.performAndWait { context in
      let athlete = try context.upsert(Athlete.self, matching: \.email, equals: "a@b")
      let same = try context.upsert(Athlete.self, matching: \.email, equals: "a@b")
      #expect(athlete === same)
      let found = try context.upsert(Member.self, matching: \.email, equals: "a@b")
      #expect(found === athlete)
      #expect(
        throws: ContextError.unexpectedEntity(
          athlete.objectID, expected: "Coach", found: "Athlete")
      ) { _ = try context.upsert(Coach.self, matching: \.email, equals: "a@b") }
    }
  }

  @Test func `needs a constraint over just these properties`() throws {
    try republic().root.performAndWait { context in
      #expect(
        throws: ContextError.noUniquenessConstraint(entity: "Nation", properties: ["name"])
      ) { _ = try context.upsert(Nation.self, matching: \.name, equals: "A") }
      #expect(
        throws: ContextError.noUniquenessConstraint(entity: "Seat", properties: ["number"])
      ) { _ = try context.upsert(Seat.self, matching: \.number, equals: 1) }
      let count = try context.count(Nation.all)
      #expect(count == 0)
    }
  }
}

@Suite struct `An upsert of many rows` {
  private struct Row: Sendable {
    let iso: String?
    let name: String
  }

  @Test func `finds and inserts as one call for each row would`() throws {
    let container = try republic()
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      for iso in ["A", "C"] { context.nation(iso, name: "stored") }
      try context.save()
    }
    try container.root.performAndWait { _ = $0.nation("B", name: "pending") }
    let rows = [
      Row(iso: "D", name: "d"), Row(iso: "A", name: "a"), Row(iso: nil, name: "nil"),
      Row(iso: "B", name: "b"), Row(iso: "D", name: "d again"), Row(iso: nil, name: "nil"),
    ]
    try container.newBackgroundContext().performAndWait { context in
      var order: [String] = []
      let ids = try context.upsert(Nation.self, from: rows, matching: \.iso, by: \.iso) {
        nation, row in
        nation.name = row.name
        order.append(row.name)
      }
      #expect(order == rows.map(\.name), "rows come in their order")
      #expect(ids.count == rows.count && ids[0] == ids[4] && Set(ids).count == 5)
      #expect(context.insertedObjects.count == 3)
      #expect(context.updatedObjects.count == 2)
      let names = try context.fetch(Nation.all.sorted(by: \.name)).map { $0.name ?? "" }
      #expect(names == ["a", "b", "d again", "nil", "nil", "stored"])
    }
  }

  @Test func `finds by several properties, and long values whole`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let long = String(repeating: "x", count: 300)
      let rows = [("a", 1), ("b", 1), ("a", 2), ("b", 1), ("a", 1)].map { (long + $0.0, $0.1) }
      let ids = try context.upsert(
        Athlete.self, from: rows,
        matching: { [UniqueValue(\.number, equals: $0.1), UniqueValue(\.club, equals: $0.0)] }
      ) { athlete, _ in athlete.goals += 1 }
      #expect(Set(ids).count == 3)
      try context.save()
      let again = try context.upsert(
        Athlete.self, from: rows,
        matching: { [UniqueValue(\.number, equals: $0.1), UniqueValue(\.club, equals: $0.0)] }
      ) { athlete, _ in athlete.goals += 1 }
      #expect(again == ids)
      let goals = try context.fetch(Athlete.all).map(\.goals).sorted()
      #expect(goals == [2, 4, 4])
    }
  }

  @Test func `is taken back by an edit if a row throws`() throws {
    try republic().root.performAndWait { context in
      #expect(throws: CancellationError.self) {
        try context.withSavepoint {
          _ = try context.upsert(Nation.self, from: ["A", "B"], matching: \.iso, by: { $0 }) {
            nation, row in
            if row == "B" { throw CancellationError() }
          }
        }
      }
      #expect(!context.hasChanges)
    }
  }
}

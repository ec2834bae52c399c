// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

/// A table, saved, and guests A, B, C, D, created in this order.
@Suite struct `Members of an ordered relationship that are linked from their own side` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let table: DiningTable
  private let guests: [Guest]

  init() throws {
    container = try banquet()
    context = ManagedObjectContext(parent: container.coordinator)
    table = DiningTable(in: context)
    let made = context
    guests = ["A", "B", "C", "D"].map { name in
      let guest = Guest(in: made)
      guest.name = name
      return guest
    }
    try context.save()
  }

  private func stored() throws -> String {
    let reader = ManagedObjectContext(parent: container.coordinator)
    let tables = try reader.fetch(DiningTable.all)
    return tables[0].guests.map(\.name).joined()
  }

  private func shown() -> String { table.guests.map(\.name).joined() }

  @Test func `stand last, in the order of linking`() throws {
    for place in [2, 0, 3, 1] { guests[place].table = table }
    #expect(shown() == "CADB")
    try context.save()
    #expect(shown() == "CADB")
    #expect(try stored() == "CADB")
  }

  @Test func `stand behind those that were linked in earlier turns and saves`() throws {
    guests[3].table = table
    context.processPendingChanges()
    guests[1].table = table
    try context.save()
    guests[0].table = table
    #expect(shown() == "DBA")
    try context.save()
    guests[2].table = table
    try context.save()
    #expect(try stored() == "DBAC")
  }

  @Test func `stand behind those that were put into the list, and before those put there later`()
    throws
  {
    table.guests.append(guests[3])
    guests[2].table = table
    guests[0].table = table
    table.guests.append(guests[1])
    #expect(shown() == "DCAB")
    try context.save()
    #expect(try stored() == "DCAB")
  }

  @Test func `stand last again when they come back`() throws {
    for place in [0, 1, 2] { guests[place].table = table }
    try context.save()
    guests[0].table = nil
    guests[0].table = table
    #expect(shown() == "BCA")
    try context.save()
    #expect(try stored() == "BCA")
  }

  @Test func `keep the order of linking through a parent`() throws {
    let child = ManagedObjectContext(parent: context)
    let table = try child.existingObject(DiningTable.self, with: table.objectID)
    for place in [3, 1, 2] {
      try child.existingObject(Guest.self, with: guests[place].objectID).table = table
    }
    try child.save()
    context.processPendingChanges()
    #expect(shown() == "DBC")
    guests[0].table = self.table
    #expect(shown() == "DBCA")
    try context.save()
    #expect(try stored() == "DBCA")
  }
}

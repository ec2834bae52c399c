// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport

// Guests at tables: an attribute of every kind that a `#Predicate` can be about.

enum GuestKind: String, Codable, Sendable, CaseIterable { case friend, stranger, relative }

struct PostalAddress: Codable, Sendable, Hashable {
  var city: String
  var number: Int
}

@Entity class Guest: ManagedObject {
  @Attribute(.indexed) var name: String
  var nick: String?
  @Attribute(.indexed) var age: Int = 0
  var rank: Int16?
  var weight: Double = 0
  var isMember: Bool = false
  var joined: Date?
  var kind: GuestKind?
  var code: UUID?
  var fee: Decimal = 0
  var address: PostalAddress?
  var table: DiningTable?

  var shoutedName: String { name.uppercased() }
}

@Entity final class Patron: Guest {
  var gift: Double = 0
  @Relationship(inverse: \DiningTable.patron) var sponsored: ToMany<DiningTable>

  var doubledAge: Int { age * 2 }
  var sameName: String { name }
}

@Entity final class DiningTable: ManagedObject {
  var label: String
  var seats: Int = 4
  @Relationship(inverse: \Guest.table) var guests: OrderedToMany<Guest>
  var patron: Patron?
}

/// A container in memory with guests and tables.
func banquet() throws -> PersistentContainer {
  try PersistentContainer(
    inMemory: ManagedObjectModel(Guest.self, Patron.self, DiningTable.self))
}

extension ManagedObjectContext {
  /// Inserts guests and tables, deletes some, and changes others.
  func fillBanquet(_ random: inout SeededGenerator) throws {
    var tables = try fetch(DiningTable.all)
    for _ in 0..<4 {
      let table = DiningTable(in: self)
      table.label = ["A", "B", "É"].randomElement(using: &random) ?? ""
      table.seats = Int.random(in: 0...6, using: &random)
      tables.append(table)
    }
    for _ in 0..<16 {
      let isPatron = Int.random(in: 0..<3, using: &random) == 0
      let guest = isPatron ? Patron(in: self) : Guest(in: self)
      guest.fill(tables, &random)
      if let patron = guest as? Patron {
        patron.gift = Double(Int.random(in: 0...9, using: &random))
        if let table = tables.randomElement(using: &random) { patron.sponsored.insert(table) }
      }
    }
    let all = try fetch(Guest.all)
    for guest in all.shuffled(using: &random).prefix(6) { guest.fill(tables, &random) }
    for guest in all.shuffled(using: &random).prefix(2) { delete(guest) }
  }
}

extension Guest {
  fileprivate func fill(_ tables: [DiningTable], _ random: inout SeededGenerator) {
    name = ["Bob", "bob", "Zoë", "Zoe", "Ann", "", "Anna"].randomElement(using: &random) ?? ""
    nick = ["Bo", "bobby", "ZOË", nil, nil].randomElement(using: &random) ?? nil
    age = Int.random(in: -3...60, using: &random)
    rank = Bool.random(using: &random) ? nil : Int16.random(in: 0...5, using: &random)
    weight = Double(Int.random(in: -4...4, using: &random)) / 2
    isMember = Bool.random(using: &random)
    joined =
      Bool.random(using: &random)
      ? nil : Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...9, using: &random)))
    kind = Bool.random(using: &random) ? nil : GuestKind.allCases.randomElement(using: &random)
    fee = Decimal(Int.random(in: 0...9, using: &random)) / 4
    address =
      Bool.random(using: &random)
      ? nil
      : PostalAddress(
        city: ["Bonn", "Bam"].randomElement(using: &random) ?? "",
        number: Int.random(in: 0...3, using: &random))
    table = Bool.random(using: &random) ? nil : tables.randomElement(using: &random)
  }
}

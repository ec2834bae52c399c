// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

// Guests at tables: an attribute of every kind that a `#Predicate` can be about.

/// Its order is not that of its raw values.
enum GuestKind: String, Codable, Sendable, CaseIterable, Comparable {
  case friend, stranger, relative

  private var closeness: Int {
    switch self {
    case .stranger: 1
    case .friend: 2
    case .relative: 3
    }
  }

  static func < (left: GuestKind, right: GuestKind) -> Bool { left.closeness < right.closeness }
}

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
      let table = DiningTable(context: self)
      table.label = ["A", "B", "É"].randomElement(using: &random) ?? ""
      table.seats = Int.random(in: 0...6, using: &random)
      tables.append(table)
    }
    for _ in 0..<16 {
      let isPatron = Int.random(in: 0..<3, using: &random) == 0
      let guest = isPatron ? Patron(context: self) : Guest(context: self)
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

// `#Predicate` is slow to type-check, so each is short.

private let three = 3
private let bo = "Bo"
private let nobody: String? = nil
private let ages = [1, 2, 3, 20]
private let names: Set<String> = ["Bob", "Zoe"]
private let teens = 10...19
private let young = 0..<30
private let same = ComparisonResult.orderedSame
private let friend: GuestKind? = GuestKind.friend
private let aFriend = GuestKind.friend
private let aRelative = GuestKind.relative
private let close = GuestKind.friend...GuestKind.relative
private let distant = GuestKind.stranger..<GuestKind.relative
private let someTime: Date? = Date(timeIntervalSinceReferenceDate: 4)
private let half = 0.5
private let quarter: Decimal = 0.25

private let guests: [(String, Predicate<Guest>)] = [
  ("<", #Predicate { $0.age < three }),
  (">=, &&", #Predicate { $0.age >= 3 && $0.age <= 40 }),
  ("||, !", #Predicate { $0.age > 30 || !($0.name == "Bob") }),
  ("!=", #Predicate { $0.name != "Zoë" && $0.age != 3 }),
  ("bool", #Predicate { $0.isMember }),
  ("bool ==", #Predicate { $0.isMember == ($0.age > 10) }),
  ("true", #Predicate { _ in true }),
  ("nil", #Predicate { $0.nick == nil }),
  ("not nil", #Predicate { $0.table != nil }),
  ("captured nil", #Predicate { $0.nick == nobody }),
  ("optional ==", #Predicate { $0.nick == "Bo" }),
  ("enum", #Predicate { $0.kind == friend }),
  ("enum <", #Predicate { $0.kind.flatMap { $0 < aFriend } ?? false }),
  ("enum >=", #Predicate { if let kind = $0.kind { kind >= aFriend } else { true } }),
  ("constant > enum", #Predicate { aRelative > ($0.kind ?? aFriend) }),
  ("enum < enum", #Predicate { ($0.kind ?? aFriend) < ($0.kind ?? aRelative) }),
  ("enum in a range", #Predicate { $0.kind.flatMap { close.contains($0) } ?? false }),
  ("enum half-open", #Predicate { distant.contains($0.kind ?? aRelative) }),
  ("date", #Predicate { $0.joined == someTime }),
  ("decimal", #Predicate { $0.fee > quarter }),
  ("double", #Predicate { $0.weight >= half }),
  ("range literal", #Predicate { (1...10).contains($0.age) }),
  ("half-open", #Predicate { (1..<three).contains($0.age) }),
  ("captured range", #Predicate { teens.contains($0.age) }),
  ("captured half-open", #Predicate { young.contains($0.age) }),
  ("list", #Predicate { ages.contains($0.age) }),
  ("set", #Predicate { names.contains($0.name) }),
  ("list literal", #Predicate { [1, 2, 30].contains($0.age) }),
  ("list and optional", #Predicate { $0.nick.flatMap { names.contains($0) } ?? true }),
  ("chain", #Predicate { $0.table?.label == "A" }),
  ("chain !=", #Predicate { $0.table?.label != "A" }),
  ("chain nil", #Predicate { $0.table?.patron == nil }),
  ("long chain", #Predicate { $0.table?.patron?.name == "Bob" }),
  ("chain ??", #Predicate { ($0.table?.seats ?? 0) > three }),
  ("?? of text", #Predicate { ($0.nick ?? "none") == "none" }),
  ("?? of a property", #Predicate { ($0.nick ?? $0.name) == "Bob" }),
  ("if let", #Predicate { if let table = $0.table { table.seats > three } else { false } }),
  ("if let else true", #Predicate { if let table = $0.table { table.seats > 2 } else { true } }),
  (
    "if let else",
    #Predicate { if let rank = $0.rank { rank > 2 } else { $0.isMember } }
  ),
  ("ternary", #Predicate { ($0.age > 18 ? $0.age : three) > three }),
  ("ternary of truths", #Predicate { $0.isMember ? $0.age > 20 : $0.age < 20 }),
  ("contains", #Predicate { $0.name.contains("o") }),
  ("contains nothing", #Predicate { $0.name.contains("") }),
  ("contained", #Predicate { "Bobby".contains($0.name) }),
  ("starts", #Predicate { $0.name.starts(with: "Zo") }),
  ("isEmpty", #Predicate { $0.name.isEmpty }),
  ("text count", #Predicate { $0.name.count > three }),
  ("optional text", #Predicate { $0.nick?.contains("b") == true }),
  ("optional count", #Predicate { $0.nick?.count == 5 }),
  ("text order", #Predicate { $0.name < bo }),
  ("standard contains", #Predicate { $0.name.localizedStandardContains("zOE") }),
  ("case insensitive", #Predicate { $0.name.caseInsensitiveCompare("BOB") == same }),
  ("regex", #Predicate { $0.name.contains(#/^[BZ]o./#) }),
  ("arithmetic", #Predicate { $0.age * 2 + 1 > 40 }),
  ("difference", #Predicate { $0.age - three == 0 || 10 - $0.age > 0 }),
  ("minus", #Predicate { -$0.age > 0 }),
  ("division", #Predicate { $0.age / three == 2 }),
  ("negative division", #Predicate { $0.age / 2 == -1 || $0.age / 2 == 0 }),
  ("float division", #Predicate { $0.weight / half > 1.0 }),
  ("remainder", #Predicate { $0.age % 3 == 1 }),
  ("negative remainder", #Predicate { $0.age % 2 == -1 }),
  ("is", #Predicate { $0 is Patron }),
  ("is through a path", #Predicate { !($0 is Patron) && $0.table != nil }),
  ("as?", #Predicate { ($0 as? Patron)?.gift == 3.0 }),
  ("as? ??", #Predicate { (($0 as? Patron)?.gift ?? 7.0) > 5.0 }),
  ("as? to-many", #Predicate { ($0 as? Patron)?.sponsored.contains { $0.seats > 2 } ?? false }),
  ("as? nil", #Predicate { ($0 as? Patron) == nil }),
  ("composite", #Predicate { $0.address?.city == "Bonn" }),
  ("composite number", #Predicate { ($0.address?.number ?? 9) > 1 }),
  ("members through a path", #Predicate { ($0.table?.guests.count ?? 0) > 2 }),
  ("any through a path", #Predicate { $0.table?.guests.contains { $0.age > 40 } ?? false }),
]

private let tables: [(String, Predicate<DiningTable>)] = [
  ("any", #Predicate { $0.guests.contains { $0.age > 40 } }),
  ("all", #Predicate { $0.guests.allSatisfy { $0.age > 3 } }),
  ("count", #Predicate { $0.guests.count > 2 }),
  ("isEmpty", #Predicate { !$0.guests.isEmpty }),
  ("filter count", #Predicate { $0.guests.filter { $0.isMember }.count == 1 }),
  ("filter isEmpty", #Predicate { $0.guests.filter { $0.age > 30 }.isEmpty }),
  ("filter any", #Predicate { $0.guests.filter { $0.isMember }.contains { $0.age > 20 } }),
  ("outer", #Predicate { table in table.guests.contains { $0.age == table.seats } }),
  (
    "nested",
    #Predicate { $0.guests.contains { $0.table?.guests.contains { $0.isMember } == true } }
  ),
  ("patrons", #Predicate { $0.guests.contains { $0 is Patron } }),
  ("patron's tables", #Predicate { ($0.patron?.sponsored.count ?? 0) > 1 }),
]

private let patrons: [(String, Predicate<Patron>)] = [
  ("inherited", #Predicate { $0.age > 10 && $0.name != "Bob" }),
  ("own and inherited", #Predicate { $0.gift > 3.0 && $0.table?.label != nil }),
  ("own to-many", #Predicate { $0.sponsored.isEmpty }),
]

@Suite struct `Predicates of Foundation` {
  /// The expectation for saved and unsaved objects.
  private static func check(_ context: ManagedObjectContext, _ seed: UInt64) throws {
    for (name, predicate) in guests {
      try compare(predicate, in: context, "\(name), seed \(seed)")
    }
    for (name, predicate) in tables { try compare(predicate, in: context, "\(name), seed \(seed)") }
    for (name, predicate) in patrons {
      try compare(predicate, in: context, "\(name), seed \(seed)")
    }
  }

  private static func compare<T: Entity>(
    _ predicate: Predicate<T>, in context: ManagedObjectContext, _ name: String
  ) throws {
    let found: Set<ObjectID>
    do {
      found = Set(try context.fetchIDs(FetchRequest(predicate)))
    } catch {
      Issue.record("\(name): \(error)")
      return
    }
    var expected: Set<ObjectID> = []
    for object in try context.fetch(FetchRequest<T>()) where try predicate.evaluate(object) {
      expected.insert(object.objectID)
    }
    #expect(found == expected, "\(name)")
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `find the same as their own evaluation, saved, pending and in children`(
    seed: UInt64
  ) async throws {
    let container = try banquet()
    try await container.root.perform { context in
      var random = SeededGenerator(seed: seed)
      try context.fillBanquet(&random)
      try Self.check(context, seed)
      try context.save()
      try Self.check(context, seed)
      try context.fillBanquet(&random)
      try Self.check(context, seed)
    }
    let child = ContextQueue(parent: container.root)
    try await child.perform { context in
      var random = SeededGenerator(seed: seed &+ 100)
      try context.fillBanquet(&random)
      try Self.check(context, seed)
    }
  }

  @Test func `know an object by its ID`() async throws {
    try await banquet().root.perform { context in
      let table = DiningTable(context: context)
      let guest = Guest(context: context)
      guest.table = table
      Guest(context: context).name = "other"
      try context.save()
      let (tableID, guestID) = (table.objectID, guest.objectID)
      let ids = [guestID]
      let optionalID: ObjectID? = tableID
      for (name, predicate) in [
        ("objectID", #Predicate<Guest> { $0.objectID == guestID }),
        ("id", #Predicate<Guest> { $0.id == guestID }),
        ("in", #Predicate<Guest> { ids.contains($0.objectID) }),
        ("target", #Predicate<Guest> { $0.table?.objectID == optionalID }),
        ("unwrapped", #Predicate<Guest> { $0.table!.id == tableID }),
      ] {
        let found = try context.fetchIDs(FetchRequest(predicate))
        #expect(found == ids, "\(name)")
      }
      let members = #Predicate<DiningTable> { $0.guests.contains { $0.id == guestID } }
      let tables = try context.fetchIDs(FetchRequest(members))
      #expect(tables == [tableID])
    }
  }

  @Test func `have no value where their own evaluation fails`() async throws {
    try await banquet().root.perform { context in
      let guest = Guest(context: context)
      guest.age = 0
      let unwrapped = try context.count(FetchRequest(#Predicate<Guest> { $0.table!.seats > three }))
      #expect(unwrapped == 0)
      let cast = try context.count(FetchRequest(#Predicate<Guest> { ($0 as! Patron).gift > 0.0 }))
      #expect(cast == 0)
      let quotient = try context.count(FetchRequest(#Predicate<Guest> { 6 / $0.age > 1 }))
      #expect(quotient == 0)
    }
  }

  @Test func `are refused with the name of the unsupported part`() throws {
    func refusal<T>(_ predicate: Predicate<T>) -> String {
      let error = #expect(throws: QueryError.self) { try FetchPredicate(predicate) }
      guard case .unsupportedExpression(let part)? = error else {
        return "\(String(describing: error))"
      }
      return part
    }
    let subscripted = #Predicate<DiningTable> { $0.guests[0].age > three }
    #expect(refusal(subscripted) == "CollectionIndexSubscript")
    let first = #Predicate<DiningTable> { $0.guests.first?.age == three }
    #expect(refusal(first).hasPrefix("the element of a relationship"))
    let constant = PostalAddress(city: "Bonn", number: 1)
    let composite: PostalAddress? = constant
    let compared = #Predicate<Guest> { $0.address == composite }
    #expect(refusal(compared) == "a constant of type Optional<PostalAddress>")
  }

  @Test func `take expressions beside other operators`() async throws {
    try await banquet().root.perform { context in
      for age in [1, 20, 40] { Guest(context: context).age = age }
      let doubled = try PropertyPath<Guest, Int>(#Expression<Guest, Int> { $0.age * 2 })
      let found = try context.fetch(Guest.where { doubled > 30 && $0.age < 30 })
      #expect(found.map(\.age) == [20])
    }
  }

  @Test func `come with sort descriptors`() async throws {
    try await banquet().root.perform { context in
      for (name, age) in [("b", 1), ("a", 2), ("b", 3), ("c", 0)] {
        let guest = Guest(context: context)
        guest.name = name
        guest.age = age
      }
      let old = #Predicate<Guest> { $0.age > 0 }
      let request = try FetchRequest(
        old, sortBy: [SortDescriptor(\Guest.name), SortDescriptor(\Guest.age, order: .reverse)])
      let found = try context.fetch(request).map { "\($0.name)\($0.age)" }
      #expect(found == ["a2", "b3", "b1"])
      let lexical = try Guest.all.sorted(
        using: [SortDescriptor(\Guest.name, comparator: .lexical, order: .reverse)])
      #expect(try context.fetch(lexical).first?.name == "c")
      let all = try FetchRequest<Guest>(nil as Predicate<Guest>?).where(old)
      #expect(try context.count(all) == 3)
    }
  }

  @Test func `come with sort descriptors in the order of an enum's cases`() async throws {
    try await banquet().root.perform { context in
      for kind in [GuestKind.relative, .friend, nil, .stranger] {
        Guest(context: context).kind = kind
      }
      let descriptors = [SortDescriptor(\Guest.kind)]
      let found = try context.fetch(Guest.all.sorted(using: descriptors)).map(\.kind)
      #expect(found == [nil, .stranger, .friend, .relative])
      let all = try context.fetch(Guest.all)
      #expect(found == all.sorted(using: descriptors).map(\.kind))
    }
  }
}

@Suite struct `Key paths of inherited properties` {
  @Test func `are known, and those of computed properties over them are not`() async throws {
    try await banquet().root.perform { context in
      let patron = Patron(context: context)
      patron.name = "Bob"
      patron.age = 4
      patron.kind = .friend
      let stored = try context.count(
        Patron.where { $0.name == "Bob" && $0.age == 4 && $0.kind == .friend })
      #expect(stored == 1)
      #expect {
        try context.count(Guest.where { $0.shoutedName == "x" })
      } throws: { if case QueryError.unknownProperty("Guest", _) = $0 { true } else { false } }
      #expect {
        try context.count(Patron.where { $0.shoutedName == "x" })
      } throws: { if case QueryError.unknownProperty("Patron", _) = $0 { true } else { false } }
      #expect {
        try context.count(Patron.where { $0.doubledAge == 8 })
      } throws: { if case QueryError.unknownProperty("Patron", _) = $0 { true } else { false } }
    }
  }
}

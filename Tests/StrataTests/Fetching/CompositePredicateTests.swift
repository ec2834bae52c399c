// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

struct Place: Codable, Sendable, Equatable {
  struct Point: Codable, Sendable, Equatable {
    var latitude: Double
    var name: String?
  }

  enum Kind: String, Codable { case home, work }

  var city: String
  var number: Int?
  var kind: Kind
  var point: Point?
  var since: Date

  var isNumbered: Bool { number != nil }

  enum CodingKeys: String, CodingKey {
    case city = "c"
    case number, kind, point, since
  }
}

@Entity final class Resident: ManagedObject {
  var name: String
  var place: Place = Place(
    city: "nowhere", number: 1, kind: .work, point: nil, since: Date(timeIntervalSince1970: 0))
  var second: Place?
  var landlord: Resident?
}

@Suite struct `A predicate over a member of a Codable attribute` {
  private func town() throws -> ManagedObjectContext {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Resident.self))
    let context = ManagedObjectContext(parent: container.coordinator)
    let points = [nil, Place.Point(latitude: 50.7, name: "Bonn"), Place.Point(latitude: -3)]
    var last: Resident?
    for number in 0..<60 {
      let resident = Resident(context: context)
      resident.name = "\(number)"
      resident.landlord = number % 4 == 0 ? nil : last
      last = resident
      if number % 6 == 5 { continue }
      resident.place = Place(
        city: ["Bonn", "Bam", "Qom"][number % 3], number: number % 4 == 1 ? nil : number,
        kind: number % 2 == 0 ? .home : .work, point: points[number % 5 % 3],
        since: Date(timeIntervalSince1970: Double(number)))
      if number % 3 == 0 { resident.second = resident.place }
      if number == 30 { try context.save() }
    }
    return context
  }

  private func expectSame(
    _ context: ManagedObjectContext,
    _ condition:
      @Sendable (PropertyPath<Resident, Resident>)
      -> FetchPredicate, _ isTrue: (Resident) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(Resident.all)
    let found = try context.fetch(Resident.where(condition))
    let expected = all.filter(isTrue)
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(!expected.isEmpty && expected.count < all.count, sourceLocation: sourceLocation)
  }

  @Test func `finds the same as a filter over the objects`() throws {
    let context = try town()
    try expectSame(context, { $0.place.city == "Bonn" }, { $0.place.city == "Bonn" })
    try expectSame(context, { $0.place.city != "Bonn" }, { $0.place.city != "Bonn" })
    try expectSame(context, { $0.place.city.hasPrefix("B") }, { $0.place.city.hasPrefix("B") })
    try expectSame(context, { $0.place.number == nil }, { $0.place.number == nil })
    try expectSame(context, { $0.place.number > 20 }, { $0.place.number.map { $0 > 20 } ?? false })
    try expectSame(
      context, { $0.place.number.isIn([2, 4]) }, { [2, 4].contains($0.place.number) })
    try expectSame(context, { $0.place.kind == .home }, { $0.place.kind == .home })
    try expectSame(
      context, { $0.place.since < Date(timeIntervalSince1970: 9) },
      { $0.place.since < Date(timeIntervalSince1970: 9) })
    try expectSame(context, { $0.place.isNumbered == true }, { $0.place.isNumbered })
  }

  @Test func `continues into nested structs, and through optionals`() throws {
    let context = try town()
    try expectSame(
      context, { $0.place.point.latitude > 10 }, { ($0.place.point?.latitude ?? -1) > 10 })
    try expectSame(
      context, { $0.place.point.name == "Bonn" }, { $0.place.point?.name == "Bonn" })
    try expectSame(context, { $0.place.point.name == nil }, { $0.place.point?.name == nil })
    try expectSame(context, { $0.second.city == "Bonn" }, { $0.second?.city == "Bonn" })
    try expectSame(context, { $0.second.city != "Bonn" }, { $0.second?.city != "Bonn" })
    try expectSame(
      context, { $0.second.point.latitude < 0 }, { ($0.second?.point?.latitude ?? 1) < 0 })
    try expectSame(
      context, { $0.landlord.place.city == "Bam" }, { $0.landlord?.place.city == "Bam" })
    try expectSame(
      context, { $0.place.city == "Bam" && $0.landlord.second.kind == .home },
      { $0.place.city == "Bam" && $0.landlord?.second?.kind == .home })
  }

  @Test func `counts, and is ordered and limited like any other`() throws {
    let context = try town()
    let request = Resident.where { $0.place.city == "Qom" }.sorted(by: \.name).limit(3)
    let names = try context.fetch(request).map(\.name)
    let expected = try context.fetch(Resident.all).filter { $0.place.city == "Qom" }.map(\.name)
      .sorted().prefix(3)
    #expect(names == Array(expected))
    let count = try context.count(Resident.where { $0.place.city == "Qom" })
    #expect(count == 10)
  }

  @Test func `fails where the member is of no type that can be compared`() throws {
    let context = try town()
    #expect(throws: QueryError.self) {
      _ = try context.fetch(Resident.where { $0.name.utf8.count == 3 })
    }
  }
}

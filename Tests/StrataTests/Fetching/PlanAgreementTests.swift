// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// An entity with a name: the index on it is one for the whole hierarchy.
@Entity(isAbstract: true) class Holder: ManagedObject {
  @Attribute(.indexed) var name: String
}

@Entity final class Claim: Holder {
  var parcel: Parcel?
}

@Entity(indexes: ["zone", "row"], ["isOpen", "rank", "label"]) final class Parcel: Holder {
  var zone: Int = 0
  var row: Int = 0
  var label: String = ""
  var isOpen: Bool = false
  var rank: Int?
  @Attribute(.indexed) var surveyed: Date?
  @Attribute(.indexed) var price: Decimal?
  @Attribute(.indexed) var page: URL?
  @Relationship(inverse: \Claim.parcel) var claims: ToMany<Claim>
}

@Suite struct `A fetch that an index answers` {
  private func container() throws -> PersistentContainer {
    try PersistentContainer(inMemory: ManagedObjectModel(Claim.self, Parcel.self))
  }

  /// The results of `request` must equal Swift's, unsaved and saved.
  private func expect(
    _ request: FetchRequest<Parcel>, in context: ManagedObjectContext, _ comment: Comment,
    _ expected: ([Parcel]) -> [Parcel]
  ) throws {
    for _ in 0..<2 {
      let all = try context.fetch(Parcel.all)
      let found = try context.fetch(request).map(\.objectID)
      #expect(found == expected(all).map(\.objectID), comment)
      try context.save()
    }
  }

  @Test func `is about the members alone, though others of the hierarchy have the name`()
    async throws
  {
    try await container().root.perform { context in
      let parcel = Parcel(context: context)
      parcel.name = "X"
      let claim = Claim(context: context)
      claim.name = "X"
      claim.parcel = parcel
      let other = Parcel(context: context)
      other.name = "Y"
      let request = Parcel.where { $0.claims.any { $0.name == "X" } }
      try expect(request, in: context, "by name") { _ in [parcel] }
      let id = other.objectID
      try expect(Parcel.where { $0.claims.contains(id) }, in: context, "an ID of no member") { _ in
        []
      }
    }
  }

  @Test func `is in order although one value is in several ranges`() async throws {
    try await container().root.perform { context in
      for (zone, row, label) in [
        (1, 7, "a"), (1, 3, "c"), (9, 7, "b"), (9, 3, "d"), (1, 7, "d"), (1, 3, "b"), (2, 3, "a"),
      ] {
        let parcel = Parcel(context: context)
        (parcel.zone, parcel.row, parcel.label) = (zone, row, label)
      }
      let chosen = Parcel.where { $0.zone.isIn([1, 9]) && $0.row.isIn([3, 7]) }
      for direction in [SortOrder.forward, .reverse] {
        let sorted = chosen.sorted(by: \.zone, order: direction).sorted(by: \.label)
        try expect(sorted, in: context, "by zone and label") { all in
          all.filter { $0.zone != 2 }.sorted { left, right in
            guard left.zone == right.zone else {
              return direction == .forward ? left.zone < right.zone : left.zone > right.zone
            }
            return left.label < right.label
          }
        }
        try expect(
          chosen.sorted(by: \.zone, order: direction).offset(1).limit(3), in: context, "a page"
        ) {
          all in
          let sorted = all.filter { $0.zone != 2 }.enumerated().sorted { left, right in
            guard left.element.zone == right.element.zone else {
              return direction == .forward
                ? left.element.zone < right.element.zone : left.element.zone > right.element.zone
            }
            return left.offset < right.offset
          }
          return sorted.map(\.element).dropFirst().prefix(3).map { $0 }
        }
      }
    }
  }

  @Test func `is in order where the first of several keys was never set`() async throws {
    try await container().root.perform { context in
      for (isOpen, rank) in [(nil, 3), (false, 1), (nil, 2), (true, 0), (false, nil)]
        as [(Bool?, Int?)]
      {
        let parcel = Parcel(context: context)
        if let isOpen { parcel.isOpen = isOpen }
        parcel.rank = rank
      }
      for limit in [5, 2] {
        let request = Parcel.all.sorted(by: \.isOpen).sorted(by: \.rank).limit(limit)
        try expect(request, in: context, "by rank") { all in
          Array(
            all.sorted { left, right in
              guard left.isOpen == right.isOpen else { return right.isOpen }
              return (left.rank ?? -1) < (right.rank ?? -1)
            }
            .prefix(limit))
        }
      }
    }
  }

  @Test func `leaves out a date that is NaN, as a scan does`() async throws {
    try await container().root.perform { context in
      for date in [1, Double.nan, 3] {
        Parcel(context: context).surveyed = Date(timeIntervalSinceReferenceDate: date)
      }
      let date = Date(timeIntervalSinceReferenceDate: 2)
      let noDate = Date(timeIntervalSinceReferenceDate: .nan)
      for _ in 0..<2 {
        for (expected, condition) in [
          (1, { $0.surveyed <= date }), (1, { $0.surveyed >= date }),
          (0, { $0.surveyed >= noDate }),
        ] as [(Int, (PropertyPath<Parcel, Parcel>) -> FetchPredicate)] {
          let found = try context.count(Parcel.where(condition))
          // No index answers the same with this beside it.
          let scanned = try context.count(Parcel.where { condition($0) || $0.label == "none" })
          #expect(found == expected)
          #expect(scanned == expected)
        }
        try context.save()
      }
    }
  }

  @Test func `compares a decimal NaN as Swift does`() async throws {
    try await container().root.perform { context in
      let numbers: [Decimal] = [
        .nan, -.greatestFiniteMagnitude, -1, 0, 4, .greatestFiniteMagnitude,
      ]
      for number in numbers {
        for row in 0..<2 {
          let parcel = Parcel(context: context)
          (parcel.price, parcel.row, parcel.label) = (number, row, "\(number)")
        }
      }
      Parcel(context: context).price = nil
      func check(
        _ name: String, _ condition: (PropertyPath<Parcel, Parcel>) -> FetchPredicate,
        _ filter: (Decimal) -> Bool
      ) throws {
        func filtered(_ all: [Parcel]) -> [Parcel] { all.filter { $0.price.map(filter) ?? false } }
        try expect(Parcel.where(condition), in: context, "price \(name)", filtered)
        // No index answers the same with this beside it.
        let scan = Parcel.where { condition($0) || $0.label == "none" }
        try expect(scan, in: context, "price \(name), scanned", filtered)
      }
      for other in numbers {
        try check("== \(other)", { $0.price == other }, { $0 == other })
        try check("!= \(other)", { $0.price != nil && $0.price != other }, { $0 != other })
        try check("< \(other)", { $0.price < other }, { $0 < other })
        try check("<= \(other)", { $0.price <= other }, { $0 <= other })
        try check("> \(other)", { $0.price > other }, { $0 > other })
        try check(">= \(other)", { $0.price >= other }, { $0 >= other })
        try check("in", { $0.price.isIn([other, 0]) }, { [other, 0].contains($0) })
        try check("or", { $0.price < other || $0.price > 0 }, { $0 < other || $0 > 0 })
        try check("and", { $0.price < other && $0.price > -1 }, { $0 < other && $0 > -1 })
        try check("not <", { $0.price != nil && !($0.price < other) }, { !($0 < other) })
        if other >= 0 { try check("to", { $0.price.isIn(0...other) }, { (0...other) ~= $0 }) }
      }
    }
  }

  @Test func `resolves a relative URL`() async throws {
    try await container().root.perform { context in
      let base = try #require(URL(string: "https://example.org/a/"))
      let relative = try #require(URL(string: "b", relativeTo: base))
      let parcel = Parcel(context: context)
      parcel.page = relative
      let found = try context.count(Parcel.where { $0.page == relative })
      let scanned = try context.count(Parcel.where { $0.page == relative || $0.label == "none" })
      #expect(found == 1)
      #expect(scanned == 1)
    }
  }

  @Test func `takes an offset and a limit below 0 for 0`() async throws {
    try await container().root.perform { context in
      for label in ["b", "a"] { Parcel(context: context).label = label }
      var request = Parcel.all.sorted(by: \.label)
      request.offset = -10
      request.limit = 5
      let labels = try context.fetch(request).map(\.label)
      #expect(labels == ["a", "b"])
      request = Parcel.all
      request.offset = .min
      let count = try context.count(request)
      #expect(count == 2)
      request.limit = -1
      let none = try context.count(request)
      #expect(none == 0)
    }
  }
}

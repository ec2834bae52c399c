// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Entity(indexes: ["valley", "beds"], ["kind", "name"]) final class Lodge: ManagedObject {
  @Attribute(.unique) var code: String
  @Attribute(.indexed) var name: String
  var kind: String?
  var beds: Int = 0
  var valley: Valley?
  @Relationship(inverse: \Guide.lodges) var guides: ToMany<Guide>
}

@Entity final class Valley: ManagedObject {
  @Attribute(.indexed) var name: String
  @Relationship(inverse: \Lodge.valley) var lodges: ToMany<Lodge>
}

@Entity final class Guide: ManagedObject {
  @Attribute(.indexed) var name: String
  var lodges: ToMany<Lodge>
}

/// Lodges "L0" to "L299", number n with n beds, in three valleys by turns. Of a hundred each, the
/// first were saved to the store, the next are pending in its root, the rest in the child that
/// asks; and the child has taken ten of the first hundred out of their valleys.
private func populated(
  _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
) async throws {
  let container = try PersistentContainer(
    inMemory: ManagedObjectModel(Lodge.self, Valley.self, Guide.self))
  @Sendable func insert(_ numbers: Range<Int>, in context: ManagedObjectContext) throws {
    let valleys = try context.fetch(Valley.all.sorted(by: \.name))
    let guide = try context.fetch(Guide.all).first
    for number in numbers {
      let lodge = Lodge(context: context)
      lodge.code = "\(number)"
      lodge.name = "L\(number)"
      lodge.kind = number % 2 == 0 ? "hut" : nil
      lodge.beds = number
      lodge.valley = valleys[number % 3]
      if number % 50 == 7 { guide?.lodges.insert(lodge) }
    }
  }
  try await container.root.perform { context in
    for name in ["Alam", "Lar", "Sefid"] { Valley(context: context).name = name }
    Guide(context: context).name = "Shirin"
    try insert(0..<100, in: context)
    try context.save()
    try insert(100..<200, in: context)
  }
  try await container.newBackgroundContext().perform { context in
    try insert(200..<300, in: context)
    for lodge in try context.fetch(Lodge.where { $0.beds < 10 }) { lodge.valley = nil }
    try body(context)
  }
}

@Suite struct `Explaining a request` {
  @Test func `tells how an index over several properties serves saved and pending objects`()
    async throws
  {
    try await populated { context in
      let lar = try #require(try context.fetch(Valley.where { $0.name == "Lar" }).first)
      let request = Lodge.where { $0.valley == lar && $0.beds < 40 }.sorted(by: \.beds)
      let explanation = try context.explain(request)
      #expect(
        explanation.description.hasSuffix(
          "index: valley, beds (values, open range), in order: 13 found"))
      #expect(explanation.rowsReturned == 10 && explanation.recordsRead == 10)
      let beds = try context.fetch(request).map(\.beds)
      #expect(beds == Array(stride(from: 10, to: 40, by: 3)))
      let largest = Lodge.where { $0.valley == lar }.sorted(by: \.beds, order: .reverse)
      let found = try context.fetch(largest.offset(60).limit(3)).map(\.beds)
      #expect(found == [118, 115, 112])
      let window = try context.explain(largest.offset(60).limit(3))
      #expect(window.recordsRead == 3 && window.entriesRead < 80, "\(window)")
    }
  }

  @Test func `tells that rows need no records if an index has all their properties`()
    async throws
  {
    try await populated { context in
      let lar = try #require(try context.fetch(Valley.where { $0.name == "Lar" }).first)
      let few = Lodge.where { $0.valley == lar && $0.beds < 40 }
      let sum = few.select { $0.beds.sum() }
      let explanation = try context.explain(sum)
      #expect(
        explanation.plan.detail == "valley, beds (values, open range), values only",
        "\(explanation)")
      #expect(explanation.recordsRead == 0 && explanation.rowsReturned == 1)
      let found = try context.fetch(sum)
      #expect(found == [stride(from: 10, to: 40, by: 3).reduce(0, +)])
      let names = try context.explain(few.select(\.beds, \.name))
      #expect(names.recordsRead > 0 && !names.description.contains("values only"))
    }
  }

  @Test func `is asked for in one way, for objects and rows, with names and without`()
    async throws
  {
    try await populated { context in
      let named = FetchRequest(entityName: "Lodge", try FetchPredicate(format: "kind == 'hut'"))
      let hut = Lodge.where { $0.kind == "hut" }
      #expect(try context.explain(named) == context.explain(hut))
      let rows = try context.explain(named.select("name", "beds"))
      #expect(try rows == context.explain(hut.select(\.name, \.beds)))
      #expect(rows.answer == .rows)
    }
  }

  @Test func `tells that counts and IDs need no records`() async throws {
    try await populated { context in
      let huts = Lodge.where { $0.kind == "hut" && $0.name.hasPrefix("L1") }
      let count = try context.explain(huts, for: .count)
      #expect(
        count.description == """
          Lodge, count: 55 returned; 56 index entries and 0 records read
          index: kind, name (values, prefix): 55 found
          """ || count.recordsRead == 0)
      let found = try context.count(huts)
      #expect(count.rowsReturned == found && found == 55)
      let kept = try context.explain(Lodge.where { $0.name != "L5" && $0.name != "L6" }, for: .ids)
      #expect(kept.rowsReturned == 298 && kept.recordsRead == 0)
    }
  }

  @Test func `tells how relationships are followed from their other end`() async throws {
    try await populated { context in
      let inLar = Lodge.where { $0.valley.name == "Lar" }
      let there = try context.explain(inLar, for: .count)
      #expect(there.recordsRead == 0, "\(there)")
      #expect(there.plan.kind == .relationship && there.plan.detail == "Lodge.valley")
      #expect(there.rowsReturned == 97)
      let guided = try context.explain(Lodge.where { $0.guides.any { $0.name == "Shirin" } })
      #expect(guided.plan.detail == "Lodge.guides", "\(guided)")
      #expect(guided.rowsReturned == 6 && guided.recordsRead == 6)
      let valleys = Valley.where { $0.lodges.any { $0.code == "250" } }
      let named = try context.fetch(valleys).map(\.name)
      #expect(named == ["Lar"])
      #expect(try context.explain(valleys).plan.detail == "targets of Lodge.valley")
    }
  }

  @Test func `carries it out and leaves the context as it was`() async throws {
    try await populated { context in
      let count = context.registeredObjects.count
      let explanation = try context.explain(Lodge.where { $0.code.isIn(["1", "2", "222"]) })
      #expect(explanation.rowsReturned == 3)
      #expect(context.registeredObjects.count == count)
    }
  }

  @Test func `looks pending objects up for an offset only where many entries are skipped`() throws {
    let container = try ledger(entries: 400)
    try container.newBackgroundContext().performAndWait { context in
      for entry in try context.fetch(LedgerEntry.where { $0.amount < 2 }) { entry.weight = 1 }
      let amounts = Array(stride(from: 0, to: 400, by: 2))
      let request = LedgerEntry.where { $0.amount.isIn(amounts) }.sorted(by: \.amount)
        .offset(150).limit(3)
      let explanation = try context.explain(request, for: .ids)
      #expect(explanation.description.contains("in order"), "\(explanation)")
      #expect(explanation.recordsRead == 0, "\(explanation)")
      let rows = request.select(\.amount)
      #expect(try context.explain(rows).recordsRead == 0)
      #expect(try context.fetch(rows) == [300, 302, 304])
      let all = LedgerEntry.all.sorted(by: \.amount).offset(150).limit(3)
      #expect(try context.explain(all, for: .ids).recordsRead == 2)
      #expect(try context.fetch(all.select(\.amount)) == [150, 151, 152])
    }
  }

  @Test func `fails as the request does`() async throws {
    try await populated { context in
      let sum = Lodge.where { $0.guides.any { $0.name == "Shirin" } }
      #expect(throws: Never.self) { try context.explain(sum) }
      let lodges = try FetchPredicate(format: "height > 3")
      #expect(throws: QueryError.unknownProperty(entity: "Lodge", keyPath: "height")) {
        try context.explain(FetchRequest<Lodge>(lodges))
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// A model whose texts have no index of words.
private enum Plain {
  @Entity final class Page: ManagedObject {
    var text: String
    var number: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Page.self) }
}

/// The same with one.
private enum Searched {
  @Entity final class Page: ManagedObject {
    @Attribute(.fullText) var text: String
    var number: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Page.self) }
}

/// The same under another name.
private enum Renamed {
  @Entity(originalName: "Page") final class Sheet: ManagedObject {
    @Attribute(.fullText, originalName: "text") var body: String
    var number: Int = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Sheet.self) }
}

private func format(of url: URL) throws -> Int {
  try PersistentStoreCoordinator.metadata(ofStoreAt: url).formatVersion
}

private func findings(_ container: PersistentContainer) throws -> [String] {
  var findings: [String] = []
  var check = StoreCheck(
    try container.coordinator.snapshot(), progress: { _ in }, report: { findings.append("\($0)") })
  _ = check.run()
  return findings
}

private func makePlainStore(at url: URL) throws {
  let container = try PersistentContainer(at: url, model: Plain.model(), durability: .none)
  try container.root.performAndWait { context in
    for number in 0..<500 {
      let page = Plain.Page(context: context)
      (page.number, page.text) = (number, "page \(number) of a thick book")
    }
    try context.save()
  }
}

@Suite struct `The option for full text` {
  @Test func `makes an index of the texts that a store has when it is added`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makePlainStore(at: url)
    expectEqual(try format(of: url), 7)
    let container = try PersistentContainer(at: url, model: Searched.model(), durability: .none)
    expectEqual(try format(of: url), 9)
    expectEqual(try findings(container), [])
    try container.root.performAndWait { context in
      let found = Searched.Page.where { $0.text.contains(words: "77 thick") }
      expectEqual(try context.fetch(found).map(\.number), [77])
      let explanation = try context.explain(found)
      #expect("\(explanation)".contains("words of text"))
    }
  }

  @Test func `can be removed and added again`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makePlainStore(at: url)
    _ = try PersistentContainer(at: url, model: Searched.model(), durability: .none)
    let plain = try PersistentContainer(at: url, model: Plain.model(), durability: .none)
    expectEqual(try format(of: url), 7)
    expectEqual(try findings(plain), [])
    try plain.root.performAndWait { context in
      for page in try context.fetch(Plain.Page.all) { page.text = "leaf \(page.number)" }
      try context.save()
      expectEqual(try context.count(Plain.Page.where { $0.text.contains(words: "leaf") }), 500)
    }
    let again = try PersistentContainer(at: url, model: Searched.model(), durability: .none)
    expectEqual(try findings(again), [])
    try again.root.performAndWait { context in
      expectEqual(try context.count(Searched.Page.where { $0.text.contains(words: "page") }), 0)
      expectEqual(try context.count(Searched.Page.where { $0.text.contains(words: "leaf 9") }), 1)
    }
  }

  @Test func `goes on under another name without a new index`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makePlainStore(at: url)
    let before = try PersistentContainer(at: url, model: Searched.model(), durability: .none)
    let numbers = before.coordinator.schema.numbers
    let after = try PersistentContainer(at: url, model: Renamed.model(), durability: .none)
    #expect(
      after.coordinator.schema.numbers.properties["Sheet"]?["(body).words"]
        == numbers.properties["Page"]?["(text).words"])
    expectEqual(try findings(after), [])
    try after.root.performAndWait { context in
      let found = Renamed.Sheet.where { $0.body.contains(words: "499") }
      expectEqual(try context.fetch(found).map(\.number), [499])
    }
  }

  @Test func `is for texts that are stored`() throws {
    func model(_ type: AttributeType, _ options: Set<AttributeOption>) throws {
      let text = AttributeDescription("text", type: type, options: options)
      _ = try ManagedObjectModel(
        entities: [
          EntityDescription("Page", class: ManagedObject.self, properties: [.attribute(text)])
        ])
    }
    #expect(throws: ModelError.unfitFullText(entity: "Page", property: "text")) {
      try model(.int64, [.fullText])
    }
    #expect(throws: ModelError.unfitFullText(entity: "Page", property: "text")) {
      try model(.string, [.fullText, .transient])
    }
    try model(.string, [.fullText, .unique])
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import RenamingModel
import Strata
import StrataLMDB
import StrataTestSupport
import Testing

private let former = NamedModel("E: a b")
private let exchanged = NamedModel("E: a<b b<a")
private let content: NamedContent = ["E": [["a": "1", "b": "2"], ["a": "3"], [:]]]
private let moved: NamedContent = ["E": [["a": "2", "b": "1"], ["b": "3"], [:]]]

private struct Absent: Error {}

/// The note of the moves that a store has carried out, the catalog's `former`.
@Suite struct `The moves that a store has carried out` {
  private let folder: TemporaryDirectory
  private let store: NamedStore

  init() throws {
    folder = try TemporaryDirectory()
    store = NamedStore(at: folder.file("store"))
    try store.make(former, content)
  }

  /// Replaces the note, or removes it.
  private func setNote(_ text: String?) throws {
    let environment = try Environment.open(at: store.url.path, options: EnvironmentOptions())
    try environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
      try Array("former".utf8).withUnsafeBytes { key in
        guard try transaction.delete(key, in: tree) else { throw Absent() }
        guard let text else { return }
        try Array(text.utf8).withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
  }

  private func plan() throws -> MigrationPlan {
    try MigrationPlan(
      MigrationStage("exchange", from: former.made(), to: exchanged.made()) { _ in })
  }

  private func migrate() throws {
    _ = try PersistentContainer(
      at: store.url, model: exchanged.made(), migratingWith: plan(), durability: .none)
  }

  @Test func `are not repeated by a plan whose stage exchanges the names`() throws {
    for turn in 0..<10 {
      try migrate()
      #expect(try store.content(exchanged) == moved, "opening \(turn)")
    }
  }

  @Test func `are not repeated by a plan if they were inferred before, nor the other way round`()
    throws
  {
    try store.open(exchanged)
    try migrate()
    #expect(try store.content(exchanged) == moved)
    try migrate()
    #expect(try store.content(NamedModel("E: a<b b<a c")) == moved)
  }

  @Test func `are tried by a dry run, which leaves the store as it is`() throws {
    let report = try plan().dryRun(onStoreAt: store.url, to: exchanged.made())
    #expect(report.stages.map(\.name) == ["exchange"])
    #expect(try store.content(former) == content)
    try migrate()
    #expect(try plan().dryRun(onStoreAt: store.url, to: exchanged.made()).stages.isEmpty)
  }

  @Test func `are not repeated by another process, nor by two at the same time`() async throws {
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask { [url = store.url] in
          await #expect(processExitsWith: .success) { [url = url as URL] in
            for _ in 0..<5 { try NamedStore(at: url).open(NamedModel("E: a<b b<a")) }
          }
        }
      }
    }
    #expect(try store.content(exchanged) == moved)
    await #expect(processExitsWith: .success) { [url = store.url as URL] in
      try NamedStore(at: url).open(NamedModel("E: a<b b<a later"))
    }
    #expect(try store.content(NamedModel("E: a<b b<a later")) == moved)
  }

  @Test func `are in a backup, and in a copy without free pages`() throws {
    try store.open(exchanged)
    for compacting in [false, true] {
      let copy = NamedStore(at: folder.file("copy \(compacting)"))
      try PersistentStoreCoordinator(at: store.url, model: exchanged.made(), durability: .none)
        .backUp(to: copy.url, compacting: compacting)
      #expect(try copy.content(exchanged) == moved)
      #expect(try copy.content(NamedModel("E: a<b b<a later")) == moved)
    }
  }

  @Test func `are known to each store of a group, which all move once`() throws {
    let second = NamedStore(at: folder.file("second"))
    func group(_ model: NamedModel) throws -> PersistentStoreCoordinator {
      try PersistentStoreCoordinator(
        stores: [store.url, second.url].map { PersistentStoreDescription(at: $0) },
        model: model.made())
    }
    let coordinator = try group(former)
    let context = ManagedObjectContext(parent: coordinator)
    let object = try EntityDescription.insertNewObject(forEntityName: "E", into: context)
    try context.assign(object, to: coordinator.stores[1])
    try object.setValue(.string("5"), for: "a")
    try context.save()
    coordinator.store.close()
    let later = NamedModel("E: a<b b<a later")
    for model in [exchanged, exchanged, later, later] {
      try group(model).store.close()
      #expect(try store.content(model) == moved, "\(model)")
      #expect(try second.content(model) == ["E": [["b": "5"]]], "\(model)")
    }
  }

  @Test func `are not carried out by an opening that may only read`() throws {
    let error = try #require(throws: StoreError.self) {
      try PersistentContainer(
        at: store.url, model: exchanged.made(), durability: .none, isReadOnly: true)
    }
    guard case .migrationRequired = error else { throw error }
    #expect(try store.content(former) == content)
  }

  @Test func `are not known of a store of an earlier release, which is refused by name`() throws {
    try setNote(nil)
    let error = try #require(throws: StoreError.self) { try store.open(exchanged) }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(
      Set(found) == [
        ModelMismatch("E", property: "a", .unknownOriginalName("b")),
        ModelMismatch("E", property: "b", .unknownOriginalName("a")),
      ])
    #expect(try store.content(former) == content)
    // A single rename to a name that the store does not have is certain.
    let renamed = NamedModel("E: a c<b")
    #expect(try store.content(renamed)["E"]?[0] == ["a": "1", "c": "2"])
  }

  @Test(arguments: [
    "", "{", "[]", "{\"version\":\"1\"}", "{\"names\":[],\"version\":1}",
    "{\"names\":{\"E.a\":\"b\"},\"version\":1}", "{\"unsure\":{},\"version\":1}",
    "{\"version\":70000}", "\u{FFFD}",
  ])
  func `are damaged if they cannot be decoded`(text: String) throws {
    try setNote(text)
    let error = try #require(throws: StoreError.self) { try store.open(exchanged) }
    guard case .damaged("catalog", "former", _) = error else { throw error }
  }

  @Test func `of a name that the model does not have are ignored`() throws {
    try setNote(
      "{\"names\":{\"\":[\"\"],\"E.z\":[\"a\"],\"Z\":[]},\"unsure\":[\"Z.a\"],\"version\":1}")
    #expect(try store.content(exchanged) == moved)
  }
}

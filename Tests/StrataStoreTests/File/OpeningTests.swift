// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

private func open(_ path: String) throws -> LMDBStore {
  try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
}

@Suite struct `A store on disk` {
  @Test func `is there again when it is reopened`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    var keys: [ObjectKey] = []
    var uuid: UUID?
    do {
      let store = try open(path)
      uuid = store.uuid
      var edit = Edit(store)
      keys = (0..<100).map { edit.insert(Atlas.city, ["name": .string("\($0)")]) }
      try edit.save()
      store.close()
    }
    let store = try open(path)
    #expect(store.uuid == uuid)
    #expect(try store.snapshot().generation == 1)
    for (number, key) in keys.enumerated() {
      #expect(try store.value("name", of: key) == .string("\(number)"))
    }
  }

  /// The first 32,767 entities that models of a store have had use up its numbers of entities. Its
  /// properties, constraints and indexes have numbers in common.
  @Test(
    arguments: ["an entity", "an attribute", "an index", "a constraint"], [32_766, 32_767])
  func `takes a model with more until all numbers are used up, and then its own model`(
    added: String, last: Int
  ) throws {
    class Thing {}
    func model(with added: String = "") throws -> ManagedObjectModel {
      let names = added == "an attribute" ? ["a", "b", "c"] : ["a", "b"]
      let pair = EntityDescription(
        "Pair", class: Thing.self, uniqueTogether: added == "a constraint" ? [["a", "b"]] : [],
        indexes: added == "an index" ? [["a", "b"]] : [],
        properties: names.map {
          .attribute(AttributeDescription($0, type: .string, isOptional: true))
        })
      let other = EntityDescription("New", class: Thing.self, properties: [])
      return try ManagedObjectModel(entities: added == "an entity" ? [pair, other] : [pair])
    }
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let name = added == "an entity" ? "lastEntity" : "lastProperty"
    let text = String(decoding: SchemaNumbers(newStoreOf: try model()).text, as: UTF8.self)
      .replacing(try Regex("\"\(name)\":[0-9]+"), with: "\"\(name)\":\(last)")
    let numbers = try JSONDecoder().decode(SchemaNumbers.self, from: Data(text.utf8))
    let blueprint = try #require(
      StoreBlueprint(
        uuid: UUID(), model: model(), numbers: numbers, formerNames: nil, firstFreeSerial: 1,
        stage: nil, values: [:]))
    try blueprint.createStore(at: path, model: model())
    if last == 32_766 {
      try LMDBStore.open(at: path, model: model(with: added), durability: .none).close()
    } else {
      #expect {
        try LMDBStore.open(at: path, model: model(with: added), durability: .none)
      } throws: {
        if case StoreError.tooManyModels = $0 { true } else { false }
      }
      try LMDBStore.open(at: path, model: model(), durability: .none).close()
    }
  }

  @Test func `has had at most 32,767 models, and opens with the last of them`() throws {
    class Thing {}
    func model(with added: String...) throws -> ManagedObjectModel {
      let new = added.map { EntityDescription($0, class: Thing.self, properties: []) }
      return try ManagedObjectModel(entities: Atlas.model().entities + new)
    }
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    try open(path).close()
    do {
      var options = EnvironmentOptions()
      options.durability = .none
      // As if the store had had 32,766 models.
      try Environment.open(at: path, options: options).writeSync { transaction in
        guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
        let (key, version) = (Array("version".utf8), [0xFE, 0x7F] as [UInt8])
        try key.withUnsafeBytes { key in
          try version.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
        }
        let generation = [UInt8](repeating: 0, count: 8) + version
        try generation.withUnsafeBytes { try transaction.setNote("#generation", to: $0) }
      }
    }
    try LMDBStore.open(at: path, model: model(with: "A"), durability: .none).close()
    #expect {
      try LMDBStore.open(at: path, model: model(with: "A", "B"), durability: .none)
    } throws: {
      if case StoreError.tooManyModels = $0 { true } else { false }
    }
    let store = try LMDBStore.open(at: path, model: model(with: "A"), durability: .none)
    var edit = Edit(store)
    let key = edit.insert(Atlas.city, ["name": .string("a")])
    try edit.save()
    #expect(try store.value("name", of: key) == .string("a"))
  }

  @Test func `keeps an object of as many properties as an entity may have`() throws {
    class Thing {}
    let entity = EntityDescription(
      "Wide", class: Thing.self,
      properties: (0..<4_095).map {
        .attribute(AttributeDescription("p\($0)", type: .string, isOptional: true))
      })
    let model = try ManagedObjectModel(entities: [entity])
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let key: ObjectKey
    do {
      let store = try LMDBStore.open(at: path, model: model, durability: .none)
      var edit = Edit(store)
      let values = (0..<4_095).map { ("p\($0)", PropertyValue.string("value \($0)")) }
      key = edit.insert(entity, Dictionary(uniqueKeysWithValues: values))
      try edit.save()
      store.close()
    }
    let store = try LMDBStore.open(at: path, model: model, durability: .none)
    var edit = Edit(store)
    try edit.update(key, ["p4094": .string("another")])
    try edit.save()
    for number in [0, 1, 2_047, 4_093] {
      #expect(try store.value("p\(number)", of: key) == .string("value \(number)"))
    }
    #expect(try store.value("p4094", of: key) == .string("another"))
  }

  @Test func `with 1,500 entities is described without their classes`() throws {
    class Thing {}
    let entities = (0..<1_500).map { number in
      EntityDescription(
        "E\(number)", class: Thing.self,
        properties: [.attribute(AttributeDescription("name", type: .string, isOptional: true))])
    }
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    do {
      let store = try LMDBStore.open(
        at: path, model: ManagedObjectModel(entities: entities), durability: .none)
      var edit = Edit(store)
      edit.insert(entities[1_499], ["name": .string("a")])
      try edit.save()
    }
    let metadata = try StoredMetadata(ofStoreAt: path)
    #expect(metadata.outline.entities.count == 1_500)
    #expect(metadata.objectCounts.count == 1_500)
    #expect(metadata.objectCounts["E1499"] == 1)
    let trees = try StoredStatistics(ofStoreAt: path).trees
    #expect(trees.count { $0.entity != nil } == 1_500)
    let model = try ManagedObjectModel(metadata.outline, class: Thing.self)
    let store = try LMDBStore.open(at: path, model: model, durability: .none)
    let last = try #require(store.schema.entities.first { $0.description.name == "E1499" })
    #expect(try store.snapshot().count(of: last.number) == 1)
  }

  @Test func `is created once when many open it at once`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let stores = Mutex<[LMDBStore]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if let store = try? open(path) { stores.withLock { $0.append(store) } }
    }
    let opened = stores.withLock { $0 }
    #expect(opened.count == 8)
    #expect(Set(opened.map(\.uuid)).count == 1)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path))
        == ["store", "store-lock"])
  }

  @Test func `is refused with another model, with the differences`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    try open(path).close()
    #expect {
      _ = try LMDBStore.open(at: path, model: Atlas.changedModel(), durability: .none)
    } throws: {
      guard case StoreError.modelMismatch(let mismatches) = $0 else { return false }
      let names = mismatches.filter { $0.kind == .removed }.map { ($0.entity, $0.property) }
      return names.contains { $0 == ("City", nil) } && names.contains { $0 == ("Country", "name") }
    }
    #expect(try open(path).snapshot().generation == 0)
  }
}

@Suite struct `A path to no store` {
  @Test(arguments: ["", "x", "No store at all.\n", String(repeating: "text ", count: 5_000)])
  func `that is another file is refused and left alone`(_ text: String) throws {
    let folder = try TemporaryDirectory()
    let file = folder.file("notes.txt")
    try Data(text.utf8).write(to: file)
    #expect { _ = try open(file.path) } throws: {
      if case StoreError.notAStrataStore(let path) = $0 { path == file.path } else { false }
    }
    #expect(try Data(contentsOf: file) == Data(text.utf8))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["notes.txt"])
  }

  @Test func `that is another program's LMDB file is refused and left alone`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.file("other")
    do {
      var options = EnvironmentOptions()
      options.createIfMissing = true
      let environment = try Environment.open(at: file.path, options: options)
      try environment.writeSync { transaction in
        let tree = try transaction.makeTree(named: "theirs")
        let bytes = Array("key".utf8)
        try bytes.withUnsafeBytes { try transaction.put($0, $0, in: tree) }
      }
    }
    let before = try Data(contentsOf: file)
    #expect { _ = try LMDBStore.open(at: file.path, model: Atlas.model()) } throws: {
      if case StoreError.notAStrataStore = $0 { true } else { false }
    }
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func `that is a folder is refused`() throws {
    let folder = try TemporaryDirectory()
    #expect { _ = try open(folder.url.path) } throws: {
      if case StoreError.notAStrataStore = $0 { true } else { false }
    }
  }

  @Test func `in a missing folder is refused, and no folder made`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("missing/store").path
    #expect { _ = try open(path) } throws: {
      if case StoreError.folderMissing(path) = $0 { true } else { false }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `in a folder that may not be written is refused`() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    #expect { _ = try open(folder.file("store").path) } throws: {
      if case StoreError.permissionDenied = $0 { true } else { false }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Docs/FileFormat.md, "`x<n>`".
@Suite struct `External values in a store` {
  private class Thing {}

  private static let picture = entity([.external])
  private static let plain = entity([])

  private static func entity(_ options: Set<AttributeOption>) -> EntityDescription {
    EntityDescription(
      "Picture", class: Thing.self,
      properties: [
        .attribute(AttributeDescription("title", type: .string, isOptional: true)),
        .attribute(
          AttributeDescription("pixels", type: .data, isOptional: true, options: options)),
        .attribute(
          AttributeDescription("icon", type: .data, isOptional: true, options: options)),
      ])
  }

  private func model(_ entity: EntityDescription) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [entity])
  }

  @Test func `lie in a tree of their own under the object and the property`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let store = try LMDBStore.open(at: path, model: model(Self.picture), durability: .none)
    var edit = Edit(store)
    let key = edit.insert(
      Self.picture,
      ["title": .string("Ada"), "pixels": .data(Data("Strata".utf8)), "icon": .data(Data())])
    let second = edit.insert(Self.picture, ["pixels": .data(Data([1, 2]))])
    try edit.save()
    #expect((key.serial, second.serial) == (1, 2))
    var options = EnvironmentOptions()
    options.durability = .none
    let environment = try Environment.open(at: path, options: options)
    let tree = try #require(try environment.tree(named: "x1"))
    let transaction = try environment.read()
    var cursor = try transaction.cursor(in: tree)
    var entries: [([UInt8], [UInt8])] = []
    var isThere = try cursor.first()
    while isThere {
      entries.append(([UInt8](cursor.key), [UInt8](cursor.value)))
      isThere = try cursor.next()
    }
    // Numbers go by name: icon 1, pixels 2, title 3.
    #expect(
      entries.map(\.0) == [
        [0, 0, 0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1, 0, 2], [0, 0, 0, 0, 0, 2, 0, 2],
      ])
    #expect(entries.map(\.1) == [[], Array("Strata".utf8), [1, 2]])
    let records = try #require(try environment.tree(named: "r1"))
    let record = try #require(
      try [UInt8]([0, 0, 0, 0, 0, 1]).withUnsafeBytes { try transaction.get($0, in: records) })
    #expect(Array(record.dropFirst(Envelope.byteCount)) == Self.golden)
    #expect(try environment.tree(named: "x2") == nil)
    let snapshot = try store.snapshot()
    #expect(try snapshot.externalData(of: key, at: 1)?.data == Data("Strata".utf8))
    #expect(try snapshot.externalData(of: key, at: 2)?.data == Data())
    #expect(try snapshot.externalData(of: second, at: 2) == nil)
    #expect(try snapshot.externalData(of: second, at: 0) == nil)
    let absent = ObjectKey(entity: key.entity, serial: 99)
    #expect(try snapshot.externalData(of: absent, at: 1) == nil)
    store.close()
  }

  /// icon empty, pixels "Strata", title "Ada".
  private static let golden: [UInt8] =
    [0x01, 0x00, 0x07]
    + [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]
    + [0x12, 0x7A, 0x0B, 0xC3, 0x70, 0x2B, 0xA7, 0x92]
    + [0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]
    + [0xDA, 0xBB, 0x44, 0x1E, 0x5C, 0x6B, 0x03, 0x63]
    + [0x03, 0x00, 0x41, 0x64, 0x61]

  @Test func `are written only where they change`() throws {
    let store = try LMDBStore.inMemory(model: model(Self.picture))
    var first = Edit(store)
    let key = first.insert(
      Self.picture, ["pixels": .data(Data([1])), "icon": .data(Data([2]))])
    #expect(try first.save().writes.externalPut == 2)

    func writes(_ values: [String: PropertyValue]) throws -> [Int] {
      var edit = Edit(store)
      try edit.update(key, values)
      let writes = try edit.save().writes
      return [writes.recordsPut, writes.externalPut, writes.externalDeleted]
    }
    #expect(try writes(["title": .string("a")]) == [1, 0, 0])
    #expect(try writes(["pixels": .data(Data([3]))]) == [1, 1, 0])
    #expect(try writes(["pixels": .data(Data([3])), "icon": .data(Data([2]))]) == [0, 0, 0])
    #expect(try writes(["pixels": .null]) == [1, 0, 1])
    #expect(try writes(["pixels": .data(Data([3])), "icon": .null]) == [1, 1, 1])
    var last = Edit(store)
    try last.delete(key)
    let writes = try last.save().writes
    #expect(writes.externalDeleted == 1)
    #expect(writes.recordsDeleted == 1)
    store.close()
  }

  @Test func `of a save that lacks the bytes are those of the store`() throws {
    let store = try LMDBStore.inMemory(model: model(Self.picture))
    var first = Edit(store)
    let key = first.insert(Self.picture, ["pixels": .data(Data([1]))])
    try first.save()
    let former = try store.stored(key)
    var second = Edit(store)
    try second.update(key, ["pixels": .data(Data([2]))])
    try second.save()
    let layout = store.schema.of(Self.picture).layout
    for policy in [MergePolicy.overwrite, .custom("ours") { _ in .takeOurs }] {
      var third = Edit(store, policy: policy)
      var drafts = DraftArena()
      let draft = Draft.make(layout, base: former.record, in: &drafts)
      draft.set("\(policy)", at: 0)
      var arena = RecordArena()
      third.changes[key] = .update(draft.encode(into: &arena), base: Base(former), slots: [0])
      let result = try third.save()
      #expect(try store.value("title", of: key) == .string("\(policy)"))
      #expect(try store.snapshot().externalData(of: key, at: 1)?.data == Data([2]))
      let merged = try #require(result.merged[key] ?? nil)
      #expect(merged.stamp(at: 1, layout) == ExternalData(Data([2])).stamp, "the saver hears")
    }
    var fourth = Edit(store)
    let base = try store.stored(key)
    try fourth.delete(key)
    try fourth.save()
    var fifth = Edit(store, policy: .overwrite)
    fifth.changes[key] = .update(base.record, base: Base(base), slots: [0])
    try fifth.save()
    #expect(try store.snapshot().externalData(of: key, at: 1) == nil)
    #expect(try store.stored(key).record.stamp(at: 1, layout) == nil)
    store.close()
  }

  @Test func `do not come or go when the model changes its mind`() throws {
    let folder = try TemporaryDirectory()
    for (number, pair) in [(Self.picture, Self.plain), (Self.plain, Self.picture)].enumerated() {
      let path = folder.file("store\(number)").path
      try LMDBStore.open(at: path, model: model(pair.0), durability: .none).close()
      #expect {
        _ = try LMDBStore.open(at: path, model: model(pair.1), durability: .none)
      } throws: { error in
        guard case StoreError.modelMismatch(let mismatches) = error else { return false }
        return mismatches.map(\.kind) == [.changedStorage, .changedStorage]
      }
      try LMDBStore.open(at: path, model: model(pair.0), durability: .none).close()
    }
  }

  @Test func `without their tree are damage when the store is opened`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    try LMDBStore.open(at: path, model: model(Self.picture), durability: .none).close()
    do {
      var options = EnvironmentOptions()
      options.durability = .none
      let environment = try Environment.open(at: path, options: options)
      try environment.writeSync { transaction in
        guard let main = try transaction.tree(named: "x1") else { throw Absent() }
        try transaction.drop(main)
      }
    }
    #expect {
      _ = try LMDBStore.open(at: path, model: model(Self.picture), durability: .none)
    } throws: { error in
      guard case StoreError.damaged(let tree, _, _) = error else { return false }
      return tree == "x1"
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `A batch in a store` {
  /// A store with the given number of cities, and its open file.
  private struct Filled {
    let folder: TemporaryDirectory
    let store: LMDBStore
    let environment: Environment
    private(set) var cities: [ObjectKey] = []

    init(_ count: Int) throws {
      folder = try TemporaryDirectory()
      let path = folder.file("store").path
      store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
      var edit = Edit(store)
      for index in 0..<count {
        cities.append(
          edit.insert(Atlas.city, ["name": .string("c\(index)"), "population": .int(1)]))
      }
      try edit.save()
      var options = EnvironmentOptions()
      options.durability = .none
      environment = try Environment.open(at: path, options: options)
    }

    var entity: EntityNumber { store.schema.of(Atlas.city).number }

    /// Changes a byte of one city's record.
    func damage(_ key: ObjectKey) throws {
      try change(key) { $0[$0.count - 1] ^= 1 }
    }

    /// Gives a city another record, and leaves its index entries as they are.
    func replace(_ key: ObjectKey, by record: Record) throws {
      try change(key) { bytes in
        bytes = [UInt8](repeating: 0, count: Envelope.byteCount(for: record))
        bytes.withUnsafeMutableBytes {
          Envelope.encode(record: record, generation: 1, key: key, into: $0)
        }
      }
    }

    private func change(
      _ key: ObjectKey, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) throws {
      let (name, key) = (
        "r\(entity.rawValue)",
        withUnsafeBytes(of: (key.serial << 16).bigEndian) { Array($0.prefix(6)) }
      )
      try environment.writeSync { transaction in
        guard let tree = try transaction.tree(named: name),
          var bytes = try key.withUnsafeBytes({ try transaction.get($0, in: tree).map(Array.init) })
        else { throw Absent() }
        change(&bytes)
        try key.withUnsafeBytes { key in
          try bytes.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
        }
      }
    }

    func count() throws -> Int { try store.snapshot().count(of: entity) }
  }

  private func deletion(
    _ subject: BatchDeletion.Subject, reportsKeys: Bool = false, watch: BatchWatch = BatchWatch()
  ) -> StoreBatch {
    StoreBatch(.delete(BatchDeletion(subject)), reportsKeys: reportsKeys, watch: watch)
  }

  @Test func `that meets a damaged record says so, and has deleted nothing`() throws {
    let filled = try Filled(10_000)
    try filled.damage(filled.cities[9_000])
    let keys = Array(filled.cities.dropFirst())
    let error = try #require(throws: StoreError.self) {
      try filled.store.execute(deletion(.found { _ in keys }))
    }
    guard case .damaged = error else { throw error }
    #expect(try filled.count() == 10_000)
    let index = filled.store.schema.of(Atlas.city).indexes[0].number
    var entryCount = 0
    try filled.store.snapshot().scanIndex(index, in: KeyRange(), isReversed: false) { _, _ in
      entryCount += 1
      return .more
    }
    #expect(entryCount == 10_000)
    #expect(try filled.store.snapshot().generation == 1)
  }

  @Test func `does not believe an index that names objects which lead elsewhere`() throws {
    let filled = try Filled(0)
    let (store, schema) = (filled.store, filled.store.schema.of(Atlas.city))
    var edit = Edit(store)
    let here = edit.insert(Atlas.country, ["iso": .string("IR")])
    let elsewhere = edit.insert(Atlas.country, ["iso": .string("FR")])
    let city = edit.insert(Atlas.city, ["country": .object(store.id(here))])
    try edit.save()
    // The record is changed behind the index's back.
    let stored = try store.stored(city)
    var drafts = DraftArena()
    let draft = Draft.make(schema.layout, base: stored.record, in: &drafts)
    draft.setToOne(elsewhere, at: try #require(Atlas.city.slot(named: "country")))
    var arena = RecordArena()
    try filled.replace(city, by: draft.encode(into: &arena))
    let error = try #require(throws: StoreError.self) {
      try store.execute(deletion(.found { _ in [here] }))
    }
    guard case .damaged = error else { throw error }
  }

  @Test func `of whole entities looks at no record, damaged as it may be`() throws {
    let filled = try Filled(100)
    try filled.damage(filled.cities[50])
    #expect(try filled.store.execute(deletion(.all([filled.entity]))).count == 100)
    #expect(try filled.count() == 0)
    for tree in try filled.environment.read().treeNames() where tree != "catalog" {
      let tree = try #require(try filled.environment.tree(named: tree))
      #expect(try filled.environment.read().statistics(of: tree).entryCount == 0)
    }
  }

  @Test func `of nothing writes nothing`() throws {
    let filled = try Filled(3)
    let country = filled.store.schema.of(Atlas.country).number
    #expect(try filled.store.execute(deletion(.all([country]))).count == 0)
    #expect(try filled.store.execute(deletion(.found { _ in [] })).count == 0)
    let absent = ObjectKey(entity: filled.entity, serial: 999)
    #expect(try filled.store.execute(deletion(.found { _ in [absent] })).count == 0)
    #expect(try filled.store.snapshot().generation == 1)
  }

  @Test func `is one generation, and stands in the feed before it is seen`() throws {
    let filled = try Filled(5)
    var mark = filled.store.feed.end
    _ = try filled.store.execute(deletion(.all([filled.entity])))
    let event = try #require(filled.store.feed.events(after: &mark, upTo: 2))
    #expect(event.map(\.generation) == [2])
    #expect(event[0].keys?.deleted == filled.cities && event[0].origin == nil)
    #expect(try filled.store.snapshot().generation == 2)
  }

  @Test func `notes no keys without a request for them`() throws {
    let filled = try Filled(5)
    #expect(try filled.store.execute(deletion(.all([filled.entity]))).keys == nil)
    let again = try Filled(5)
    let outcome = try again.store.execute(deletion(.all([again.entity]), reportsKeys: true))
    #expect(outcome.keys?.deleted == again.cities)
  }

  @Test func `takes its turn among saves, and sees those before it`() throws {
    let filled = try Filled(2)
    let isDone = DispatchGroup()
    let answers = Mutex<[String]>([])
    let isHeld = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    // The writer is held until all are waiting.
    try filled.environment.submit {
      isHeld.signal()
      mayGoOn.wait()
    }
    isHeld.wait()
    @Sendable func note(_ answer: String) {
      answers.withLock { $0.append(answer) }
      isDone.leave()
    }
    for _ in 0..<3 { isDone.enter() }
    var edit = Edit(filled.store)
    edit.insert(Atlas.city, ["name": .string("before")])
    filled.store.commit(edit.changeSet) { note("save \((try? $0.get().generation) ?? 0)") }
    filled.store.execute(deletion(.all([filled.entity])), lendingThread: false) {
      note("batch of \((try? $0.get().count) ?? 0)")
    }
    edit = Edit(filled.store)
    edit.insert(Atlas.city, ["name": .string("after")])
    filled.store.commit(edit.changeSet) { note("save \((try? $0.get().generation) ?? 0)") }
    mayGoOn.signal()
    isDone.wait()
    #expect(answers.withLock(\.self) == ["save 2", "batch of 3", "save 4"])
    #expect(try filled.count() == 1)
  }

  @Test func `that is cancelled while it waits has done nothing`() throws {
    let filled = try Filled(2)
    let watch = BatchWatch()
    watch.cancel()
    #expect(throws: CancellationError.self) {
      try filled.store.execute(deletion(.all([filled.entity]), watch: watch))
    }
    #expect(try filled.count() == 2)
  }

  @Test func `of a closed store is refused`() throws {
    let filled = try Filled(1)
    filled.store.close()
    #expect {
      try filled.store.execute(deletion(.all([filled.entity])))
    } throws: { if case StoreError.closed = $0 { true } else { false } }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

/// A folder with a store that has some cities, and is closed.
private struct Written {
  let folder: TemporaryDirectory
  let keys: [ObjectKey]
  var path: String { folder.file("store").path }

  init() throws {
    folder = try TemporaryDirectory()
    let store = try StoreKind.disk.make(in: folder)
    defer { store.close() }
    var edit = Edit(store)
    keys = (0..<10).map { edit.insert(Atlas.city, ["name": .string("\($0)")]) }
    try edit.save()
  }

  func open(_ model: ManagedObjectModel? = nil) throws -> LMDBStore {
    try LMDBStore.open(at: path, model: model ?? Atlas.model(), isReadOnly: true)
  }

  func files() throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path))
  }

  func bytes() throws -> Data { try Data(contentsOf: folder.file("store")) }
}

/// Every request that would change a store, and its error.
private enum WritingRequest: CaseIterable {
  case save, saveOnOwnThread, batch, history, value

  func error(from store: any PersistentStore) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      switch self {
      case .save, .saveOnOwnThread:
        var edit = Edit(store)
        edit.insert(Atlas.city, ["name": .string("new")])
        store.commit(edit.changeSet, lendingThread: self == .saveOnOwnThread) {
          continuation.resume(returning: $0.error)
        }
      case .batch:
        let all = BatchDeletion(.all([store.schema.of(Atlas.city).number]))
        store.execute(StoreBatch(.delete(all)), lendingThread: true) {
          continuation.resume(returning: $0.error)
        }
      case .history:
        store.edit(.keep(HistoryRetention())) { continuation.resume(returning: $0.error) }
      case .value:
        store.setValue(Data("1".utf8), forKey: "k") { continuation.resume(returning: $0.error) }
      }
    }
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

@Suite struct `A store that is opened read-only` {
  private let written: Written

  init() throws { written = try Written() }

  @Test func `shows its objects`() throws {
    let store = try written.open()
    #expect(store.isReadOnly)
    for (number, key) in written.keys.enumerated() {
      #expect(try store.value("name", of: key) == .string("\(number)"))
    }
    #expect(try store.metadata().uuid == store.uuid)
    #expect(try store.historyStatus() == nil)
  }

  @Test(arguments: WritingRequest.allCases)
  fileprivate func `refuses to be changed, and is not`(_ request: WritingRequest) async throws {
    let before = try written.bytes()
    do {
      let store = try written.open()
      defer { store.close() }
      let error = await request.error(from: store)
      guard case StoreError.readOnly? = error else {
        Issue.record("it gave \(error as Any)")
        return
      }
      #expect(try store.snapshot().generation == 1)
    }
    #expect(try written.bytes() == before)
  }

  @Test func `gives serials that no other store gives, and reserves none`() throws {
    let before = try written.bytes()
    let first = try written.open()
    // A copy of the file: a second store of the same objects.
    let folder = try TemporaryDirectory()
    try before.write(to: folder.file("store"))
    let second = try LMDBStore.open(
      at: folder.file("store").path, model: Atlas.model(), isReadOnly: true)
    let counts = [first, second].map { store in
      Set((0..<70_000).map { _ in store.nextSerial() })
    }
    #expect(counts[0].count == 70_000 && counts[1].count == 70_000)
    #expect(counts[0].isDisjoint(with: counts[1]))
    let saved = Set(written.keys.map(\.serial))
    #expect(counts.allSatisfy { $0.isDisjoint(with: saved) })
    #expect(counts.allSatisfy { $0.allSatisfy { $0 > 1 << 46 && $0 <= ObjectKey.serialMax } })
    #expect(try written.bytes() == before)
  }

  @Test func `follows the saves of one that is not, on the same file`() throws {
    let reader = try written.open()
    let told = Mutex<[UInt64]>([])
    let listener = ChangeFeed.Listener { event in told.withLock { $0.append(event.generation) } }
    reader.feed.add(listener)
    let writer = try StoreKind.disk.make(in: written.folder)
    #expect(!writer.isReadOnly)
    var edit = Edit(writer)
    let key = edit.insert(Atlas.city, ["name": .string("new")])
    try edit.save()
    #expect(told.withLock { $0 } == [2])
    #expect(try reader.value("name", of: key) == .string("new"))
    // Closing it leaves the other one open.
    reader.close()
    edit = Edit(writer)
    edit.insert(Atlas.city)
    try edit.save()
    withExtendedLifetime(listener) {}
  }

  @Test func `is not created`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let error = #expect(throws: StoreError.self) {
      try LMDBStore.open(at: path, model: Atlas.model(), isReadOnly: true)
    }
    guard case .storeMissing(let missing)? = error else {
      Issue.record("it gave \(error as Any)")
      return
    }
    #expect(missing == path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test func `is not migrated`() throws {
    let before = try written.bytes()
    let added = EntityDescription("New", class: Written.Class.self, properties: [])
    let larger = try ManagedObjectModel(entities: Atlas.model().entities + [added])
    let error = #expect(throws: StoreError.self) { try written.open(larger) }
    guard case .migrationRequired(let path)? = error else {
      Issue.record("it gave \(error as Any)")
      return
    }
    #expect(path == written.path)
    #expect(try #require(error).description.contains("Open it for writing once"))
    #expect(try written.bytes() == before)
    // Once it has the model, it is opened.
    try LMDBStore.open(at: written.path, model: larger, durability: .none).close()
    #expect(try written.open(larger).snapshot().generation == 1)
  }

  @Test func `names the differences that no migration could infer`() throws {
    let error = #expect(throws: StoreError.self) { try written.open(Atlas.changedModel()) }
    guard case .modelMismatch(let differences)? = error else {
      Issue.record("it gave \(error as Any)")
      return
    }
    #expect(!differences.isEmpty)
  }

  @Test func `leaves what an interrupted creation has left`() throws {
    let leftover = "store.new-\(UUID().uuidString)"
    #expect(link(written.path, written.folder.file(leftover).path) == 0)
    let before = try written.files()
    _ = try written.open()
    #expect(try written.files() == before && before.contains(leftover))
  }
}

extension Written {
  fileprivate final class Class {}
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataStore
import StrataTestSupport
import Testing

@Suite struct `What an interrupted creation has left` {
  private let folder: TemporaryDirectory
  private let leftover = "store.new-\(UUID().uuidString)"

  init() throws { folder = try TemporaryDirectory() }

  private var path: String { folder.file("store").path }

  private func files() throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path))
  }

  /// The beginning of a store, or nothing yet.
  private func leave(_ names: [String]) throws {
    var bytes = Data(count: 40)
    bytes.replaceSubrange(16..<20, with: [0xDE, 0xC0, 0xEF, 0xBE])
    for name in names { try (Bool.random() ? bytes : Data()).write(to: folder.file(name)) }
  }

  private func open() throws -> LMDBStore {
    try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
  }

  @Test func `is cleared away by the next one, and nothing else is`() throws {
    let others = [
      "store.new-notes", "store.new-", "store.new-notes-lock", "\(leftover).txt",
    ]
    let strangers = "strangers.new-\(UUID().uuidString)"
    try Data("text".utf8).write(to: folder.file(strangers))
    let backup = "backup of Monday.new-\(UUID().uuidString)"
    try leave([leftover, leftover + "-lock", backup] + others)
    let store = try open()
    #expect(try store.snapshot().generation == 0)
    #expect(try files() == Set(others + [strangers, "store", "store-lock"]))
  }

  @Test func `stays while a store is created in the folder`() throws {
    try leave([leftover])
    let file = try #require(fopen(folder.url.path, "r"))
    #expect(flock(fileno(file), LOCK_SH) == 0)
    var store: LMDBStore? = try open()
    #expect(try store?.snapshot().generation == 0)
    #expect(try files().contains(leftover))
    store?.close()
    store = nil
    fclose(file)
    try FileManager.default.removeItem(atPath: path)
    store = try open()
    #expect(try !files().contains(leftover))
  }

  @Test func `of a store that has its name already is removed by the next opening`() throws {
    let uuid = try {
      let store = try open()
      defer { store.close() }
      return store.uuid
    }()
    #expect(link(path, folder.file(leftover).path) == 0)
    try leave([leftover + "-lock"])
    let store = try open()
    #expect(store.uuid == uuid)
    #expect(try files() == ["store", "store-lock"])
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport

/// A store with a history of three inserts, each followed by an update, and its file.
struct Recorded {
  let folder: TemporaryDirectory
  let store: LMDBStore
  let file: StoreFile

  init() async throws {
    folder = try TemporaryDirectory()
    let path = folder.file("store").path
    store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    try await store.edit(.keep(HistoryRetention()))
    for name in ["a", "b", "c"] {
      var edit = Edit(store)
      let city = edit.insert(Atlas.city, ["name": .string(name)])
      try edit.save()
      var second = Edit(store)
      try second.update(city, ["name": .string(name + name)])
      try second.save()
    }
    file = try StoreFile(path)
  }

  /// Saves one more object.
  func save() throws {
    var edit = Edit(store)
    edit.insert(Atlas.city, ["name": .string("d")])
    try edit.save()
  }

  /// The token of a generation, without a mark.
  func token(of generation: UInt64) -> HistoryToken {
    HistoryToken(storeID: store.uuid, generation: generation)
  }

  func history(after token: HistoryToken? = nil) throws -> [StoredHistoryTransaction] {
    try store.history(after: token, countMax: 1_000, byteCountMax: 1 << 20)
  }

  func isDamaged() -> Bool {
    do {
      _ = try history()
      return false
    } catch StoreError.damaged {
      return true
    } catch {
      return false
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

/// The stores that must pass the contract. A store of another engine adds a case.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case disk
  case memory
  /// Two stores as one, with all objects in the first.
  case firstOfTwo
  /// Two stores as one, with all objects in the second.
  case secondOfTwo

  var testDescription: String { rawValue }

  /// A new, empty store. The folder must outlive it.
  func make(in folder: TemporaryDirectory) throws -> any PersistentStore {
    switch self {
    case .disk:
      try LMDBStore.open(
        at: folder.file("store").path, model: Atlas.model(), durability: .none)
    case .memory: try LMDBStore.inMemory(model: Atlas.model())
    case .firstOfTwo, .secondOfTwo:
      try StoreGroup.open(
        [
          GroupMemberOptions(
            path: folder.file("first").path, name: "first",
            entities: self == .firstOfTwo ? nil : [], durability: .none),
          GroupMemberOptions(path: nil, name: "second"),
        ], model: Atlas.model())
    }
  }

  /// Runs `body` with a new, empty store.
  func withStore(_ body: (any PersistentStore) throws -> Void) throws {
    let opened = try OpenedStore(self)
    try withExtendedLifetime(opened) { try body($0.store) }
  }
}

/// A new, empty store of a test, with its folder. It is closed when the test lets it go.
final class OpenedStore {
  private let folder: TemporaryDirectory
  let store: any PersistentStore

  init(_ kind: StoreKind) throws {
    folder = try TemporaryDirectory()
    store = try kind.make(in: folder)
  }

  deinit { store.close() }
}

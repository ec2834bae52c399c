// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private enum Former {
  @Entity
  final class Note: ManagedObject {
    var text: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Note.self) }
}

/// With an index, which needs room.
private enum Present {
  @Entity
  final class Note: ManagedObject {
    @Attribute(.indexed) var text: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Note.self) }
}

private func text(_ number: Int) -> String { "\(number) " + String(repeating: "x", count: 150) }

@Suite struct `A store without room for a changed model` {
  private static let count = 10_000

  @Test func `keeps its model and its objects, and opens with the changed one when it has room`()
    throws
  {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    do {
      let coordinator = try PersistentStoreCoordinator(
        at: url, model: Former.model(), durability: .none)
      try coordinator.execute(BatchInsertRequest(Former.Note.self), rows: 0..<Self.count) {
        $0.text = text($1)
      }
    }
    let byteCount = try #require(
      try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int)
    let error = try #require(throws: StoreError.self) {
      try PersistentStoreCoordinator(
        at: url, model: Present.model(), durability: .none, maximumByteCount: byteCount)
    }
    guard case .storeFull = error else { throw error }
    do {
      let former = try PersistentContainer(at: url, model: Former.model(), durability: .none)
      let texts = try former.root.performAndWait { try $0.fetch(Former.Note.all).map(\.text) }
      #expect(Set(texts) == Set((0..<Self.count).map(text)))
    }
    let present = try PersistentContainer(at: url, model: Present.model(), durability: .none)
    let found = try present.root.performAndWait { context in
      try context.count(Present.Note.where { [seven = text(7)] in $0.text == seven })
    }
    #expect(found == 1)
  }
}

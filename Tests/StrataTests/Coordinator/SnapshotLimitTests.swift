// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Docs/Limits.md: the snapshots that all processes together hold.
@Suite struct `A store of which as many snapshots are held as there may be` {
  @Test(arguments: [true, false])
  func `says so, and goes on when some are released`(isPinned: Bool) throws {
    let folder = try TemporaryDirectory()
    let coordinator = try PersistentStoreCoordinator(
      at: folder.file("store"), model: geographyModel(), durability: .none,
      maximumByteCount: 1 << 28)
    let writer = ManagedObjectContext(parent: coordinator)
    var readers: [ManagedObjectContext] = []
    /// Holds a snapshot that no other reader has.
    func hold() throws {
      writer.city("\(readers.count)")
      try writer.save()
      writer.processPendingChanges()
      let reader = ManagedObjectContext.withExplicitTurns(below: coordinator)
      if isPinned { try reader.setQueryGeneration(from: .current) }
      _ = try reader.count(City.all)
      readers.append(reader)
    }
    #expect {
      while readers.count < 3_000 { try hold() }
    } throws: { error in
      guard case StoreError.storage(let failure) = error else { return false }
      return failure.description.contains("as many snapshots of it as there may be, 1,024")
    }
    #expect((1_000...1_024).contains(readers.count))
    readers.removeLast(10)
    try hold()
    let counts = try readers.map { try $0.count(City.all) }
    #expect(counts.dropLast() == Array(1...(readers.count - 1))[...])
  }
}

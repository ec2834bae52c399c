// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// Contexts of one coordinator that hold snapshots, each another one.
private final class SnapshotHolders {
  let coordinator: PersistentStoreCoordinator
  private let writer: ManagedObjectContext
  private let isPinned: Bool
  private(set) var readers: [ManagedObjectContext] = []

  /// - Parameter isPinned: whether the contexts are pinned, or in a turn that has read.
  init(ofStoreAt url: URL, isPinned: Bool = true) throws {
    coordinator = try PersistentStoreCoordinator(
      at: url, model: geographyModel(), durability: .none, maximumByteCount: 1 << 28)
    writer = ManagedObjectContext(parent: coordinator)
    self.isPinned = isPinned
  }

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

  func release(_ count: Int) { readers.removeLast(count) }

  /// Holds snapshots until there may be no more.
  ///
  /// - Throws: an error, if it is not the one that says so.
  func holdAll() throws {
    let error = try #require(throws: StoreError.self) { while readers.count < 3_000 { try hold() } }
    guard isOfTooManySnapshots(error) else { throw error }
  }
}

private func isOfTooManySnapshots(_ error: any Error) -> Bool {
  guard case StoreError.storage(let failure) = error else { return false }
  return failure.description.contains("as many snapshots of it as there may be, 1,024")
}

/// Docs/Limits.md: the snapshots that all processes together hold.
@Suite struct `A store of which as many snapshots are held as there may be` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store")
  }

  @Test(arguments: [true, false])
  func `says so, and goes on when some are released`(isPinned: Bool) throws {
    let holders = try SnapshotHolders(ofStoreAt: url, isPinned: isPinned)
    try holders.holdAll()
    #expect((1_000...1_024).contains(holders.readers.count))
    holders.release(10)
    try holders.hold()
    let counts = try holders.readers.map { try $0.count(City.all) }
    #expect(counts.dropLast() == Array(1...(counts.count - 1))[...])
  }

  @Test func `says so in another process, too`() async throws {
    let holders = Mutex(try SnapshotHolders(ofStoreAt: url))
    try await onOwnThread {
      try holders.withLock { holders in for _ in 0..<1_000 { try holders.hold() } }
    }
    await #expect(processExitsWith: .success) { [url = url as URL] in
      let others = try SnapshotHolders(ofStoreAt: url)
      try others.holdAll()
      try #require((1...24).contains(others.readers.count))
      _exit(0)
    }
    // Those of a process that has ended are free.
    let count = try await onOwnThread {
      try holders.withLock { holders in
        try holders.holdAll()
        return holders.readers.count
      }
    }
    #expect(count > 1_000)
  }

  @Test(arguments: [false, true])
  func `is not backed up, and no file is left`(compacting: Bool) throws {
    let holders = try SnapshotHolders(ofStoreAt: url)
    try holders.holdAll()
    let target = try TemporaryDirectory()
    #expect {
      try holders.coordinator.backUp(to: target.file("copy"), compacting: compacting)
    } throws: { isOfTooManySnapshots($0) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.url.path) == [])
  }

  /// A coordinator keeps some readers for its own next snapshots.
  @Test func `goes on in another process, and with a backup, when many are released`() async throws
  {
    let holders = Mutex(try SnapshotHolders(ofStoreAt: url))
    try await onOwnThread {
      try holders.withLock { holders in
        try holders.holdAll()
        holders.release(100)
      }
    }
    await #expect(processExitsWith: .success) { [url = url as URL] in
      try SnapshotHolders(ofStoreAt: url).hold()
    }
    let coordinator = holders.withLock { $0.coordinator }
    try await coordinator.backUp(to: folder.file("copy"))
  }
}

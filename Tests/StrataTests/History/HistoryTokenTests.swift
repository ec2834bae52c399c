// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Whether an error says that the file does not have the commit of a token.
private func isForeign(_ error: any Error) -> Bool {
  guard case StoreError.foreignHistoryToken = error else { return false }
  return true
}

@Suite struct `A token of a commit that a restored backup does not have` {
  private let folder: TemporaryDirectory
  private let url: URL
  private let kept: [HistoryToken]
  private let lost: [HistoryToken]

  /// A store of three saves is backed up, gets three more saves and a consumer that has dealt with
  /// them, and is replaced by its backup.
  init() async throws {
    folder = try TemporaryDirectory()
    url = folder.file("store")
    let backup = folder.file("backup")
    do {
      let container = try Self.open(url)
      try await container.coordinator.keepHistory()
      for index in 0..<3 { try container.saveCity("\(index)", author: "a") }
      kept = try container.transactions().map(\.token)
      let consumer = try await container.coordinator.historyConsumer(named: "index")
      try await consumer.advance(to: kept[1])
      try await container.coordinator.backUp(to: backup)
      for index in 3..<6 { try container.saveCity("\(index)", author: "a") }
      lost = try container.transactions(after: kept[2]).map(\.token)
      try await consumer.advance(to: lost[2])
    }
    try PersistentStoreCoordinator.replaceStore(at: url, withStoreAt: backup)
  }

  private static func open(_ url: URL) throws -> PersistentContainer {
    try PersistentContainer(at: url, model: geographyModel(), durability: .none)
  }

  /// The saves are repeated, with the same objects, names and author.
  @Test(arguments: [0, 1, 2, 3, 5])
  func `is refused, however many saves were made again`(count: Int) throws {
    let container = try Self.open(url)
    for index in 0..<count { try container.saveCity("\(index + 3)", author: "a") }
    for token in lost {
      #expect(performing: { try container.transactions(after: token) }, throws: isForeign)
    }
    for (index, token) in kept.enumerated() {
      #expect(try container.transactions(after: token).count == 2 - index + count)
    }
  }

  @Test func `deletes nothing, and advances no consumer`() async throws {
    let container = try Self.open(url)
    for index in 0..<4 { try container.saveCity("\(index + 3)", author: "a") }
    let consumer = try await container.coordinator.historyConsumer(named: "index")
    #expect(try consumer.position() == kept[1])
    for token in lost {
      await #expect(
        performing: { try await container.coordinator.deleteHistory(through: token) },
        throws: isForeign)
      await #expect(performing: { try await consumer.advance(to: token) }, throws: isForeign)
    }
    #expect(try container.transactions().count == 7)
    #expect(try consumer.position() == kept[1])
    #expect(try consumer.transactions().count == 5)
  }

  @Test func `is refused where the transaction of its number was deleted last`() async throws {
    let container = try Self.open(url)
    for index in 0..<4 { try container.saveCity("\(index + 3)", author: "a") }
    let others = try container.transactions(after: kept[2]).map(\.token)
    for (index, token) in lost.enumerated() {
      try await container.coordinator.deleteHistory(through: others[index])
      #expect(performing: { try container.transactions(after: token) }, throws: isForeign)
      #expect(try container.transactions(after: others[index]).count == 3 - index)
    }
    #expect { try container.transactions(after: kept[0]) } throws: { error in
      guard case StoreError.historyTooOld(others[2]) = error else { return false }
      return true
    }
  }

  @Test func `is refused where the history was stopped and begun again`() async throws {
    let container = try Self.open(url)
    for index in 0..<3 { try container.saveCity("\(index + 3)", author: "a") }
    let last = try #require(try container.transactions().last).token
    try await container.coordinator.stopHistory()
    try await container.coordinator.keepHistory()
    #expect(performing: { try container.transactions(after: lost[2]) }, throws: isForeign)
    // No save is between the two histories.
    #expect(try container.transactions(after: last).isEmpty)
  }
}

@Suite struct `A token of a history` {
  @Test func `of its beginning is none of another beginning at the same save`() async throws {
    let folder = try TemporaryDirectory()
    let backup = folder.file("backup")
    let container = try geography(in: folder)
    try container.saveCity("A")
    try await container.coordinator.backUp(to: backup)
    let copy = try PersistentContainer(at: backup, model: geographyModel(), durability: .none)
    for each in [container, copy] { try await each.coordinator.keepHistory() }
    let token = try #require(try container.coordinator.historyStatus()).newestToken
    #expect(try container.transactions(after: token).isEmpty)
    #expect(performing: { try copy.transactions(after: token) }, throws: isForeign)
  }

  @Test func `passes by its number if a former release has encoded it`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    for index in 0..<3 { try container.saveCity("\(index)") }
    let token = try container.transactions()[1].token
    let text = #"{"storeID":"\#(token.storeID)","generation":2}"#
    let former = try JSONDecoder().decode(HistoryToken.self, from: Data(text.utf8))
    #expect(try container.transactions(after: former).count == 1)
    let encoded = try JSONEncoder().encode(token)
    #expect(try JSONDecoder().decode(HistoryToken.self, from: encoded) == token)
  }

  @Test func `is the same from a transaction, the status and a message`() async throws {
    let folder = try TemporaryDirectory()
    let container = try geography(in: folder)
    try await container.coordinator.keepHistory()
    var changes = container.coordinator.remoteChanges().makeAsyncIterator()
    for index in 0..<3 { try container.saveCity("\(index)") }
    let token = try #require(try container.transactions().last).token
    #expect(try container.coordinator.historyStatus()?.newestToken == token)
    container.coordinator.feeds[0].tell(.elsewhere(upTo: 3))
    #expect(await changes.next()?.token == token)
    // The transaction is gone, and the token stays.
    try await container.coordinator.deleteHistory(through: token)
    let status = try #require(try container.coordinator.historyStatus())
    #expect(status.oldestToken == token && status.newestToken == token)
    #expect(try geography(in: folder).transactions(after: token).isEmpty)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@Suite struct `The note of recent changes` {
  private func environment(_ folder: TemporaryDirectory) throws -> Environment {
    var options = EnvironmentOptions()
    options.createIfMissing = true
    options.durability = .none
    let environment = try Environment.open(at: folder.file("notes").path, options: options)
    // Notes are beside the names of trees.
    try environment.writeSync { _ = try $0.makeTree(named: "tree") }
    return environment
  }

  private func keys(_ serials: some Sequence<UInt64>, entity: UInt16 = 3) -> [ObjectKey] {
    serials.map { ObjectKey(entity: EntityNumber(rawValue: entity), serial: $0) }
  }

  private func write(
    _ changes: [ChangedKeys?], upTo generation: UInt64, in environment: Environment
  ) throws {
    try environment.writeSync { try RecentChanges.write(changes, upTo: generation, in: $0) }
  }

  private func read(
    _ generations: ClosedRange<UInt64>, in environment: Environment, newest: UInt64? = nil
  ) throws -> [ChangedKeys]? {
    let transaction = try environment.read()
    let note = try transaction.note(RecentChanges.note)
    let last = note.flatMap { $0.count < 8 ? nil : $0.loadUnaligned(as: UInt64.self) }
    return try RecentChanges(in: transaction)?.keys(
      of: generations, newest: newest ?? last.map { UInt64(littleEndian: $0) } ?? 0)
  }

  @Test func `has the objects of each commit, oldest first`() throws {
    let folder = try TemporaryDirectory()
    let environment = try environment(folder)
    #expect(try read(1...1, in: environment) == nil)
    try write([ChangedKeys(inserted: keys([9, 5, 300]))], upTo: 7, in: environment)
    let both = ChangedKeys(
      updated: keys([1], entity: 400) + keys([2], entity: 1), deleted: keys([ObjectKey.serialMax]))
    try write([both, ChangedKeys(updated: keys([4]))], upTo: 9, in: environment)
    let found = try #require(try read(7...9, in: environment))
    #expect(found.map { $0.inserted } == [keys([5, 9, 300]), [], []])
    #expect(
      found.map { $0.updated } == [[], keys([2], entity: 1) + keys([1], entity: 400), keys([4])])
    #expect(found.map { $0.deleted } == [[], keys([ObjectKey.serialMax]), []])
    #expect(try read(8...8, in: environment)?.count == 1)
    // A later commit has not written it.
    #expect(try read(8...8, in: environment, newest: 10) == nil)
    #expect(try read(6...9, in: environment) == nil)
    #expect(try read(9...10, in: environment) == nil)
  }

  @Test func `begins anew after commits that it does not have`() throws {
    let folder = try TemporaryDirectory()
    let environment = try environment(folder)
    try write([ChangedKeys(updated: keys([1]))], upTo: 1, in: environment)
    try write([ChangedKeys(updated: keys([2]))], upTo: 3, in: environment)
    #expect(try read(3...3, in: environment)?.count == 1)
    #expect(try read(1...1, in: environment) == nil)
  }

  @Test func `says of a commit that changed too much only that it was there`() throws {
    let folder = try TemporaryDirectory()
    let environment = try environment(folder)
    try write([ChangedKeys(updated: keys([1]))], upTo: 1, in: environment)
    try write([nil, ChangedKeys(inserted: keys(0..<5_000))], upTo: 3, in: environment)
    try write([ChangedKeys(updated: keys([2]))], upTo: 4, in: environment)
    #expect(try read(4...4, in: environment)?.count == 1)
    #expect(try read(1...1, in: environment)?.count == 1)
    #expect(try read(2...4, in: environment) == nil)
    #expect(try read(3...4, in: environment) == nil)
  }

  @Test func `drops the oldest commits, and stays small for long`() throws {
    let folder = try TemporaryDirectory()
    let environment = try environment(folder)
    for generation in UInt64(1)...2_000 {
      try write([ChangedKeys(updated: keys([generation]))], upTo: generation, in: environment)
    }
    let bytes = try #require(try environment.read().note(RecentChanges.note))
    #expect(bytes.count <= 1_000)
    let recent = try #require(try read(1_950...2_000, in: environment))
    #expect(recent.map { $0.updated } == (1_950...2_000).map { keys([$0]) })
    #expect(try read(1...2_000, in: environment) == nil)
  }

  @Test func `stays small however many saves one commit has`() throws {
    let folder = try TemporaryDirectory()
    let environment = try environment(folder)
    let changes = (0..<20).map { _ in ChangedKeys(updated: keys(0..<200)) }
    try write(changes, upTo: 20, in: environment)
    let transaction = try environment.read()
    #expect(try #require(try transaction.note(RecentChanges.note)).count <= 1_000)
    #expect(try read(20...20, in: environment)?.first?.updated.count == 200)
    #expect(try read(1...20, in: environment) == nil)
  }

  @Test func `survives any bytes`() throws {
    let folder = try TemporaryDirectory()
    let environment = try environment(folder)
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...5, using: &random) : UInt8.random(in: 0...255, using: &random)
      }
      // Mostly a generation that can be.
      if bytes.count > 8, Bool.random(using: &random) {
        bytes.replaceSubrange(1..<8, with: [UInt8](repeating: 0, count: 7))
      }
      let note = bytes
      try environment.writeSync { transaction in
        try note.withUnsafeBytes { try transaction.setNote(RecentChanges.note, to: $0) }
      }
      for generations in [UInt64(0)...0, 1...3, 5...200, .max...(.max)] {
        let found = try read(generations, in: environment)
        #expect(found.map { $0.count == generations.count } ?? true, "seed \(seed)")
      }
      try write([ChangedKeys(updated: keys([1]))], upTo: 4, in: environment)
      #expect(try read(4...4, in: environment)?.count == 1, "seed \(seed)")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Synchronization
import Testing

private struct Abandoned: Error, Equatable {}

@Suite struct `The writer thread` {
  private let scratch: ScratchEnvironment
  private let environment: Environment
  private let tree: Tree

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    tree = try environment.makeTree("a", ["k": "old"])
  }

  @Test func `runs jobs in the order in which they came`() async throws {
    let numbers = await withCheckedContinuation { continuation in
      let collected = Collected()
      do {
        for number in 0..<1000 { try environment.submit { collected.append(number) } }
        try environment.submit { continuation.resume(returning: collected.numbers) }
      } catch { Issue.record(error) }
    }
    #expect(numbers == Array(0..<1000))
  }

  @Test func `is one thread, not the caller's`() throws {
    #expect(!environment.isOnWriterThread)
    let isWithin = try environment.writeSync { [environment] _ in environment.isOnWriterThread }
    #expect(isWithin)
  }

  @Test func `runs what was submitted before the environment was dropped`() async throws {
    let count = try await Self.submitAndDrop(at: scratch.directory.file("other").path)
    #expect(count == 100)
  }

  private static func submitAndDrop(at path: String) async throws -> Int {
    var options = EnvironmentOptions()
    options.createIfMissing = true
    options.mapSizeBytes = 1 << 20
    let collected = Collected()
    return try await withCheckedThrowingContinuation { continuation in
      do {
        let environment = try Environment.open(at: path, options: options)
        for number in 0..<100 { try environment.submit { collected.append(number) } }
        try environment.submit { continuation.resume(returning: collected.numbers.count) }
      } catch { continuation.resume(throwing: error) }
    }
  }

  @Test func `commits what a body returns from and aborts what it throws from`() async throws {
    #expect(throws: Abandoned()) {
      try environment.writeSync { [tree] transaction in
        try transaction.put("k", "new", in: tree)
        throw Abandoned()
      }
    }
    #expect(try environment.read().text("k", in: tree) == "old")
    let id = try await environment.write { [tree] transaction in
      try transaction.put("k", "new", in: tree)
      return transaction.transactionID
    }
    let transaction = try environment.read()
    #expect(try transaction.text("k", in: tree) == "new")
    #expect(transaction.transactionID == id)
  }

  @Test func `takes several transactions in one job, each committed or aborted`() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      do {
        try environment.submit { [environment, tree] in
          done.resume(
            with: Result {
              let first = try environment.begin()
              try first.put("k", "first", in: tree)
              try first.commit()
              #expect(throws: LMDBError.badTransaction) { try first.commit() }
              #expect(throws: LMDBError.badTransaction) { try first.put("k", "x", in: tree) }
              #expect(throws: LMDBError.badTransaction) { try first.text("k", in: tree) }
              let second = try environment.begin()
              try second.put("k", "second", in: tree)
              second.abort()
              second.abort()
              do {
                let dropped = try environment.begin()
                try dropped.put("k", "dropped", in: tree)
              }
              try environment.begin().commit()
            })
        }
      } catch { done.resume(throwing: error) }
    }
    #expect(try environment.read().text("k", in: tree) == "first")
  }

  @Test func `writes for many callers at once`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { [environment, tree] in
          for number in 0..<20 {
            try await environment.write { try $0.put("\(task) \(number)", "x", in: tree) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try environment.read().statistics(of: tree).entryCount == 161)
  }

  @Test func `stops the process when it would wait for itself`() async {
    await #expect(processExitsWith: .failure) {
      let scratch = try ScratchEnvironment()
      let environment = try scratch.open()
      try environment.writeSync { _ in try environment.writeSync { _ in } }
    }
  }

  @Test func `alone may begin a write, and one at a time`() async {
    await #expect(processExitsWith: .failure) {
      let scratch = try ScratchEnvironment()
      _ = try scratch.open().begin()
    }
    await #expect(processExitsWith: .failure) {
      let scratch = try ScratchEnvironment()
      let environment = try scratch.open()
      try environment.writeSync { _ in _ = try environment.begin() }
    }
  }
}

private final class Collected: Sendable {
  private let state = Mutex<[Int]>([])
  var numbers: [Int] { state.withLock { $0 } }
  func append(_ number: Int) { state.withLock { $0.append(number) } }
}

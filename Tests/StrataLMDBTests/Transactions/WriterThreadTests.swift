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

  @Test func `ends when it has nothing to do, and comes again with the next job`() async throws {
    for number in 0..<3 {
      let isDone = await withCheckedContinuation { continuation in
        do {
          try environment.submit { continuation.resume(returning: true) }
        } catch {
          continuation.resume(returning: false)
        }
      }
      #expect(isDone)
      if number == 2 { break }
      while environment.hasWriterThread { try await Task.sleep(for: .milliseconds(50)) }
    }
  }

  /// A thread that ends at once, and jobs that come at that moment: of one thread that waits for
  /// each, or of eight, some of which lend themselves.
  @Test(arguments: [1, 8])
  func `takes each job that comes while it is about to end`(threadCount: Int) throws {
    let scratch = try ScratchEnvironment(writerIdleLimit: .nanoseconds(1))
    let environment = try scratch.open()
    let ran = Atomic(0)
    let failures = Mutex<[String]>([])
    performOnThreads(threadCount) { number in
      for round in 0..<(16_000 / threadCount) {
        let isDone = DispatchSemaphore(value: 0)
        do {
          try environment.submit(lendingThread: threadCount > 1 && number < 2) {
            ran.add(1, ordering: .relaxed)
            isDone.signal()
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
        // The next job comes when the thread has just done this one.
        if threadCount == 1 { while ran.load(ordering: .relaxed) <= round {} }
        if round % 3 == 0 { isDone.wait() }
      }
    }
    while ran.load(ordering: .relaxed) < 16_000, failures.withLock({ $0.isEmpty }) { sched_yield() }
    #expect(failures.withLock { $0 } == [])
  }

  @Test func `is the thread of a waiting caller, while there is no writer`() throws {
    #expect(!environment.isOnWriterThread)
    let caller = ObjectIdentifier(Thread.current)
    let (isWithin, thread) = try environment.writeSync { [environment] _ in
      (environment.isOnWriterThread, ObjectIdentifier(Thread.current))
    }
    #expect(isWithin)
    #expect(thread == caller)
    #expect(!environment.isOnWriterThread)
  }

  @Test func `is the environment's own for a caller who goes on, or who is not the first`() throws {
    let isHeld = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let own = Mutex<[ObjectIdentifier]>([])
    let note: @Sendable () -> Void = {
      own.withLock { $0.append(ObjectIdentifier(Thread.current)) }
    }
    try environment.submit {
      isHeld.signal()
      mayGoOn.wait()
      note()
    }
    isHeld.wait()
    let hasSubmitted = DispatchSemaphore(value: 0)
    let caller = Thread { [environment] in
      try? environment.submit(lendingThread: true) {
        note()
        isHeld.signal()
      }
      hasSubmitted.signal()
    }
    caller.start()
    hasSubmitted.wait()
    mayGoOn.signal()
    isHeld.wait()
    let threads = own.withLock { $0 }
    #expect(threads.count == 2)
    #expect(threads[0] == threads[1])
    #expect(threads[0] != ObjectIdentifier(caller))
  }

  @Test func `is one at a time, lent or not, and keeps the order of each caller`() async throws {
    let running = Atomic(0)
    let collected = Mutex<[Int: [Int]]>([:])
    let isDone = DispatchGroup()
    DispatchQueue.concurrentPerform(iterations: 8) { caller in
      for number in 0..<500 {
        isDone.enter()
        try? environment.submit(lendingThread: (number + caller).isMultiple(of: 3)) {
          #expect(running.add(1, ordering: .relaxed).newValue == 1)
          collected.withLock { $0[caller, default: []].append(number) }
          running.subtract(1, ordering: .relaxed)
          isDone.leave()
        }
      }
    }
    await withCheckedContinuation { continuation in
      isDone.notify(queue: .global()) { continuation.resume() }
    }
    let numbers = collected.withLock { $0 }
    for caller in 0..<8 { #expect(numbers[caller] == Array(0..<500)) }
  }

  @Test func `runs jobs that were submitted before the environment was released`() async throws {
    let count = try await Self.submitAndDrop(at: scratch.directory.file("other").path)
    #expect(count == 100)
  }

  private static func submitAndDrop(at path: String) async throws -> Int {
    var options = EnvironmentOptions()
    options.createIfMissing = true
    options.byteCountMax = 1 << 20
    let collected = Collected()
    return try await withCheckedThrowingContinuation { continuation in
      do {
        let environment = try Environment.open(at: path, options: options)
        for number in 0..<100 { try environment.submit { collected.append(number) } }
        try environment.submit { continuation.resume(returning: collected.numbers.count) }
      } catch { continuation.resume(throwing: error) }
    }
  }

  @Test func `commits when its body returns and aborts when it throws`() throws {
    #expect(throws: Abandoned()) {
      try environment.writeSync { [tree] transaction in
        try transaction.put("k", "new", in: tree)
        throw Abandoned()
      }
    }
    #expect(try environment.read().text("k", in: tree) == "old")
    let id = try environment.writeSync { [tree] transaction in
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
            try environment.writeSync { try $0.put("\(task) \(number)", "x", in: tree) }
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

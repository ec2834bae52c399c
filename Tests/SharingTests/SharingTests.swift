// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A running `SharingProcess`.
private struct SharingProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()

  /// - Parameters:
  ///   - number: its place among the processes.
  ///   - saves: how often it saves.
  init(storeAt url: URL, number: Int, saves: Int, of processCount: Int) throws {
    try self.init(url, ["\(number)", "\(saves)", "\(processCount)"])
  }

  /// - Parameters:
  ///   - openings: how often it opens the store.
  ///   - library: a library that the process loads before all others; nil for none.
  init(storeAt url: URL, openings: Int, preloading library: URL?) throws {
    try self.init(url, ["\(openings)"], preloading: library)
  }

  private init(_ url: URL, _ arguments: [String], preloading library: URL? = nil) throws {
    if let library {
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["LD_PRELOAD": library.path]
      ) { $1 }
    }
    process.executableURL = Bundle.main.bundleURL.appendingPathComponent("SharingProcess")
    process.arguments = [url.path] + arguments
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  /// Waits for a line that begins with `word`; the rest of it.
  func line(after word: String) -> String? {
    var said = ""
    while true {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      said += String(decoding: more, as: UTF8.self)
      for line in said.split(separator: "\n") where line.hasPrefix(word + " ") || line == word {
        return String(line.dropFirst(word.count + 1))
      }
    }
  }

  func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func waitUntilExit() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}

@Suite(.serialized) struct `Processes with one store` {
  /// How often each process saves: `STRATA_SHARED_SAVES`, 300 by default.
  private static let saveCount =
    ProcessInfo.processInfo.environment["STRATA_SHARED_SAVES"].flatMap(Int.init) ?? 300

  @Test func `keep their fetched lists equal to a fetch by each other's saves`() async throws {
    let folder = try TemporaryDirectory()
    let store = folder.file("ledger.strata")
    let container = try PersistentContainer(
      at: store, model: Ledger.model(), durability: .none)
    try await container.coordinator.keepHistory()
    let processes = try (0..<2).map {
      try SharingProcess(storeAt: store, number: $0, saves: Self.saveCount, of: 2)
    }
    for process in processes { #expect(process.line(after: "ready") != nil) }
    for process in processes { try process.begin() }
    for process in processes {
      let result = try #require(process.line(after: "same"), "a process failed")
      print("with \(Self.saveCount) saves each: same \(result)")
      #expect(result.hasPrefix("true notices \(Self.saveCount) "))
      #expect(process.waitUntilExit() == 0)
    }
    let transactions = try container.coordinator.fetchHistory(HistoryRequest())
    #expect(transactions.count == 2 * Self.saveCount)
    #expect(transactions.allSatisfy { Array($0.changes).count == 1 })
  }

  @Test func `merge a save of another one object by object`() async throws {
    let folder = try TemporaryDirectory()
    let store = folder.file("ledger.strata")
    let container = try PersistentContainer(at: store, model: Ledger.model(), durability: .none)
    let queue = ContextQueue(parent: container.coordinator)
    let kept = try await queue.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let line = Line(context: context)
      line.sequence = -1
      line.text = "0 0"
      try context.save()
      context.userInfo["line"] = line
      return line.objectID
    }
    var merges = queue.messages(.didMerge).makeAsyncIterator()
    var changes = container.coordinator.remoteChanges().makeAsyncIterator()
    let other = try SharingProcess(storeAt: store, number: 0, saves: 1, of: 1)
    #expect(other.line(after: "ready") != nil)
    try other.begin()
    let merged = try #require(await merges.next())
    // The object that the context holds was not changed, and is not named.
    #expect(merged.objects.inserted.count == 1 && merged.objects.inserted.first != kept)
    #expect(merged.objects.refreshed.isEmpty)
    let change = try #require(await changes.next())
    #expect(change.token.storeID == container.coordinator.store.uuid)
    other.kill()
  }

  @Test func `cannot destroy, move or replace what another has open`() throws {
    let folder = try TemporaryDirectory()
    let store = folder.file("ledger.strata")
    func make(at url: URL) throws {
      _ = try PersistentContainer(at: url, model: Ledger.model(), durability: .none)
    }
    try make(at: store)
    try make(at: folder.file("other"))
    let other = try SharingProcess(storeAt: store, number: 0, saves: 1, of: 1)
    #expect(other.line(after: "ready") != nil)
    for body in [
      { try PersistentStoreCoordinator.destroyStore(at: store) },
      { try PersistentStoreCoordinator.moveStore(at: store, to: folder.file("moved")) },
      {
        try PersistentStoreCoordinator.replaceStore(
          at: store, withStoreAt: folder.file("other"))
      },
    ] {
      let error = try #require(throws: StoreError.self) { try body() }
      guard case .storeInUse = error else { throw error }
    }
    // A copy of it can be made, and once the other is gone it can be destroyed.
    try PersistentStoreCoordinator.copyStore(at: store, to: folder.file("copy"))
    other.kill()
    try PersistentStoreCoordinator.destroyStore(at: store)
    #expect(!FileManager.default.fileExists(atPath: store.path))
  }

  @Test func `lose nobody's lock when one of them is killed`() async throws {
    let folder = try TemporaryDirectory()
    let store = folder.file("ledger.strata")
    let container = try PersistentContainer(at: store, model: Ledger.model(), durability: .none)
    for round in 0..<5 {
      let other = try SharingProcess(storeAt: store, number: 0, saves: 100_000, of: 1)
      #expect(other.line(after: "ready") != nil)
      try other.begin()
      let before = try container.root.performAndWait { try $0.count(Line.all) }
      while try container.root.performAndWait({ try $0.count(Line.all) }) < before + 20 {
        await Task.yield()
      }
      other.kill()
      try container.root.performAndWait { context in
        Line(context: context).sequence = -round
        try context.save()
      }
    }
  }

  #if os(Linux)
    /// How often each process opens the store: `STRATA_SHARED_OPENINGS`, 100 by default.
    private static let openingCount =
      ProcessInfo.processInfo.environment["STRATA_SHARED_OPENINGS"].flatMap(Int.init) ?? 100

    /// Half of the processes go on late after each call that changes a lock: what others do in
    /// between is seen.
    @Test func `by two names of one file are told so, and not that it is damaged`() throws {
      let folder = try TemporaryDirectory()
      let (store, second) = (folder.file("ledger.strata"), folder.file("second.strata"))
      do {
        let container = try PersistentContainer(at: store, model: Ledger.model())
        try container.root.performAndWait { context in
          for number in 1...3_000 {
            let line = Line(context: context)
            (line.sequence, line.text) = (-number, String(repeating: "text", count: 50))
          }
          try context.save()
        }
      }
      try FileManager.default.linkItem(at: store, to: second)
      let writer = try SharingProcess(storeAt: second, number: 0, saves: 1_000_000, of: 1)
      defer { writer.kill() }
      _ = writer.line(after: "ready")
      try writer.begin()
      var told = 0
      while told < 20 {
        do {
          _ = try PersistentStoreCoordinator(at: store, model: Ledger.model())
        } catch StoreError.storage(let failure) {
          let isSaid =
            failure.description.contains("\(store.path) ")
            && failure.description.contains("Another program writes")
          try #require(isSaid, "\(failure)")
          told += 1
        }
      }
    }

    @Test func `by two names of one file are told so when they save`() async throws {
      let folder = try TemporaryDirectory()
      let (store, second) = (folder.file("ledger.strata"), folder.file("second.strata"))
      let container = try PersistentContainer(at: store, model: Ledger.model())
      func save() throws {
        try container.root.performAndWait { context in
          Line(context: context).sequence = -1
          try context.save()
        }
      }
      try save()
      try FileManager.default.linkItem(at: store, to: second)
      let writer = try SharingProcess(storeAt: second, number: 0, saves: 1_000_000, of: 1)
      defer { writer.kill() }
      _ = writer.line(after: "ready")
      let before = try metaPages(of: store)
      try writer.begin()
      while try metaPages(of: store) == before { await Task.yield() }
      let error = try #require(throws: StoreError.self) { try save() }
      guard case .storage(let failure) = error else { throw error }
      #expect(failure.description.contains("Another program writes"))
    }

    /// The pages that each commit changes one of.
    private func metaPages(of store: URL) throws -> Data? {
      let file = try FileHandle(forReadingFrom: store)
      defer { try? file.close() }
      return try file.read(upToCount: 8_192)
    }

    @Test func `open it at the same time without an error`() throws {
      let folder = try TemporaryDirectory()
      let store = folder.file("ledger.strata")
      do {
        let container = try PersistentContainer(at: store, model: Ledger.model())
        try container.root.performAndWait { context in
          Line(context: context).sequence = 1
          try context.save()
        }
      }
      let library = try slowLocks(in: folder)
      let processes = try (0..<8).map { number in
        try SharingProcess(
          storeAt: store, openings: Self.openingCount, preloading: number < 4 ? library : nil)
      }
      for process in processes {
        #expect(process.line(after: "opened") == "\(Self.openingCount)")
        #expect(process.waitUntilExit() == 0)
      }
    }

    /// Builds a library whose `fcntl` returns up to 3 ms after it has changed a lock.
    private func slowLocks(in folder: TemporaryDirectory) throws -> URL {
      let (source, library) = (folder.file("slow.c"), folder.file("slow.so"))
      try """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <stdarg.h>
      #include <stdlib.h>
      #include <unistd.h>
      #define SLOW(name) \\
        int name(int file, int command, ...) { \\
          va_list rest; \\
          va_start(rest, command); \\
          void *argument = va_arg(rest, void *); \\
          va_end(rest); \\
          int (*call)(int, int, ...) = dlsym(RTLD_NEXT, #name); \\
          int result = call(file, command, argument); \\
          int error = errno; \\
          if (command == F_SETLK || command == F_SETLKW) usleep(rand() % 3000); \\
          errno = error; \\
          return result; \\
        }
      SLOW(fcntl)
      SLOW(fcntl64)
      """.write(to: source, atomically: true, encoding: .utf8)
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments = [
        "clang", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl",
      ]
      try compiler.run()
      compiler.waitUntilExit()
      #expect(compiler.terminationStatus == 0)
      return library
    }
  #endif
}

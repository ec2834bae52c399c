// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import CrashLedger
  import Foundation
  import Strata
  import StrataTestSupport
  import Synchronization
  import Testing

  /// A store of sheets, and a process that raises their sequences and stops itself in the middle of
  /// its save, with LMDB's lock of writers.
  private final class StoppedSave {
    private let folder: TemporaryDirectory
    let store: URL
    let writer: WriterProcess

    init() throws {
      folder = try TemporaryDirectory()
      store = folder.file("ledger.strata")
      try CrashOperation.makeStore(at: store)
      writer = try WriterProcess(storeAt: store, doing: .save, .stop, at: 1)
      #expect(writer.waitUntilStopped())
    }

    // A stopped process would outlive the tests.
    deinit { writer.end() }

    var copy: URL { CrashOperation.copy(of: store) }

    func open(busyTimeout: Duration? = .milliseconds(100)) throws -> PersistentContainer {
      try PersistentContainer(at: store, model: Ledger.model(), busyTimeout: busyTimeout)
    }

    /// Checks that `error` names the stopped process.
    func expectBusy(_ error: (any Error)?) {
      let cause = (error as? BatchInterruption)?.underlyingError ?? error
      guard case StoreError.storeBusy(let processID)? = cause else {
        Issue.record("not busy: \(String(describing: error))")
        return
      }
      #expect(processID == writer.processID)
    }
  }

  /// Gives a line of a sheet a new text.
  private func edit(_ number: Int, _ text: String, in context: ManagedObjectContext) throws {
    let lines = try context.fetch(Line.all.sorted(by: \.text))
    lines[number].text = text
  }

  private func texts(_ prefix: String, in queue: ContextQueue) throws -> [String] {
    try queue.performAndWait { context in
      context.reset()
      return try context.fetch(Line.where { $0.text.hasPrefix(prefix) }).map(\.text).sorted()
    }
  }

  /// Whether the save of the writer is there, once.
  private func isRaised(_ queue: ContextQueue) throws -> Bool {
    let first = CrashOperation.firstSequence
    let sequences = try queue.performAndWait { context in
      context.reset()
      return try context.fetch(Sheet.all.sorted(by: \.sequence)).map(\.sequence)
    }
    return sequences == Array((first + 1)...(first + Ledger.filledCount))
  }

  @Suite struct `While a writer of another process is stopped` {
    @Test func `a save fails, names the process, and succeeds once that goes on`() async throws {
      let stopped = try StoppedSave()
      let container = try stopped.open()
      try container.root.performAndWait { try edit(0, "new", in: $0) }
      stopped.expectBusy(
        #expect(throws: StoreError.self) { try container.root.performAndWait { try $0.save() } })
      stopped.expectBusy(
        await #expect(throws: StoreError.self) { try await container.root.save() })
      #expect(try container.root.performAndWait { $0.hasChanges })
      #expect(stopped.writer.proceed()?.outcome == "done")
      try await container.root.save()
      #expect(try texts("new", in: container.root) == ["new"])
      #expect(try isRaised(container.root))
    }

    @Test func `a save fails, and succeeds once that process was killed`() throws {
      let stopped = try StoppedSave()
      let container = try stopped.open()
      try container.root.performAndWait { try edit(0, "new", in: $0) }
      stopped.expectBusy(
        #expect(throws: StoreError.self) { try container.root.performAndWait { try $0.save() } })
      stopped.writer.end()
      try container.root.performAndWait { try $0.save() }
      #expect(try texts("new", in: container.root) == ["new"])
      #expect(try !isRaised(container.root))
    }

    @Test func `each of several savers fails, and no save of theirs is written later`()
      async throws
    {
      let stopped = try StoppedSave()
      let container = try stopped.open()
      let count = 8
      let savers = (0..<count).map { _ in ContextQueue(parent: container.coordinator) }
      await withTaskGroup(of: (any Error)?.self) { group in
        for (number, saver) in savers.enumerated() {
          group.addTask {
            do {
              try await saver.perform { try edit(number, "failed \(number)", in: $0) }
              if number.isMultiple(of: 2) {
                try await saver.save()
              } else {
                try await saver.perform { try $0.save() }
              }
              return nil
            } catch {
              return error
            }
          }
        }
        for await error in group { stopped.expectBusy(error) }
      }
      #expect(stopped.writer.proceed()?.outcome == "done")
      // Written after all that still waited for the writer.
      let another = ContextQueue(parent: container.coordinator)
      try await another.perform { context in
        try edit(count, "new", in: context)
        try context.save()
      }
      #expect(try texts("failed", in: container.root) == [])
      #expect(try isRaised(container.root))
      for saver in savers { try await saver.save() }
      #expect(try texts("failed", in: container.root) == (0..<count).map { "failed \($0)" })
    }

    @Test(arguments: [nil, .seconds(Int64.max)] as [Duration?])
    func `a saver whose limit is never reached waits until that goes on`(limit: Duration?) throws {
      let stopped = try StoppedSave()
      let container = try stopped.open(busyTimeout: limit)
      try container.root.performAndWait { try edit(0, "new", in: $0) }
      let isSaved = DispatchSemaphore(value: 0)
      let outcome = Mutex<Result<Void, any Error>?>(nil)
      let saver = Thread {
        let result = Result { try container.root.performAndWait { try $0.save() } }
        outcome.withLock { $0 = result }
        isSaved.signal()
      }
      saver.start()
      #expect(isSaved.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
      #expect(stopped.writer.proceed()?.outcome == "done")
      isSaved.wait()
      try outcome.withLock { $0 }?.get()
      #expect(try texts("new", in: container.root) == ["new"])
    }

    @Test func `batches, the history, the metadata and plain backups fail`() async throws {
      let stopped = try StoppedSave()
      let container = try stopped.open()
      let coordinator = container.coordinator
      stopped.expectBusy(
        #expect(throws: (any Error).self) {
          try coordinator.execute(BatchDeleteRequest(Line.all))
        })
      stopped.expectBusy(
        #expect(throws: (any Error).self) {
          try coordinator.execute(
            BatchUpdateRequest(Line.all).setting(\.sequence) { $0.sequence + 1 })
        })
      stopped.expectBusy(
        #expect(throws: (any Error).self) {
          try coordinator.execute(BatchInsertRequest(Line.self), rows: 1...3) { line, number in
            line.sequence = number
            line.text = "inserted"
          }
        })
      stopped.expectBusy(
        await #expect(throws: (any Error).self) { try await coordinator.keepHistory() })
      stopped.expectBusy(
        await #expect(throws: (any Error).self) {
          try await coordinator.setMetadata(7, forKey: "number")
        })
      stopped.expectBusy(
        #expect(throws: (any Error).self) { try coordinator.backUp(to: stopped.copy) })
      #expect(!FileManager.default.fileExists(atPath: stopped.copy.path))
      // It takes no lock of writers.
      try await coordinator.backUp(to: stopped.copy, compacting: true)
      #expect(stopped.writer.proceed()?.outcome == "done")
      try await coordinator.setMetadata(7, forKey: "number")
      #expect(
        try container.root.performAndWait { try $0.count(Line.where { $0.sequence == 7 }) } == 4)
      #expect(try isRaised(container.root))
    }

    @Test func `opening with a changed model fails, and succeeds once that was killed`() throws {
      let stopped = try StoppedSave()
      stopped.expectBusy(
        #expect(throws: StoreError.self) {
          try PersistentContainer(
            at: stopped.store, model: LaterLedger.model(), busyTimeout: .milliseconds(100))
        })
      stopped.expectBusy(
        #expect(throws: StoreError.self) {
          try PersistentContainer(
            at: stopped.store, model: StagedLedger.model(), migratingWith: StagedLedger.plan(),
            busyTimeout: .milliseconds(100))
        })
      stopped.writer.end()
      #expect(try CrashOperation.save.state(ofStoreAt: stopped.store) == .before)
      _ = try PersistentContainer(at: stopped.store, model: LaterLedger.model())
      #expect(try CrashOperation.inferredMigration.state(ofStoreAt: stopped.store) == .after)
    }

    @Test func `new objects are inserted without waiting for ever`() throws {
      let stopped = try StoppedSave()
      let container = try stopped.open()
      try container.root.performAndWait { Ledger.fill(7_000, in: $0) }
      stopped.expectBusy(
        #expect(throws: StoreError.self) { try container.root.performAndWait { try $0.save() } })
      #expect(stopped.writer.proceed()?.outcome == "done")
      try container.root.performAndWait { try $0.save() }
      #expect(try texts("7000/", in: container.root).count == Ledger.lineCount)
    }
  }

  @Suite struct `While another process has the store open` {
    @Test func `a save waits for a long batch of its own process without an error`() throws {
      let folder = try TemporaryDirectory()
      let store = folder.file("ledger.strata")
      try CrashOperation.makeStore(at: store)
      let other = try WriterProcess(storeAt: store, doing: "evolve")
      defer { other.end() }
      #expect(other.wait(for: "opened"))
      let model = try LaterLedger.model()
      let container = try PersistentContainer(
        at: store, model: model, busyTimeout: .milliseconds(50))
      let isSaved = DispatchSemaphore(value: 0)
      let outcome = Mutex<Result<Void, any Error>?>(nil)
      let saver = ContextQueue(parent: container.coordinator)
      // Waits for its serials, which another process might have reserved in between.
      try saver.performAndWait { LaterLedger.Progress(context: $0).latest = 7 }
      try container.coordinator.execute(
        BatchInsertRequest(LaterLedger.Row.self), rows: 1...2
      ) { row, number in
        row.sequence = number
        row.content = "\(number)"
        if number == 1 {
          let thread = Thread {
            let result = Result { try saver.performAndWait { try $0.save() } }
            outcome.withLock { $0 = result }
            isSaved.signal()
          }
          thread.start()
          #expect(isSaved.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        }
      }
      isSaved.wait()
      try outcome.withLock { $0 }?.get()
      let found = try saver.performAndWait { try $0.count(LaterLedger.Progress.all) }
      #expect(found == 1)
    }

    @Test func `and is stopped while it opens it, opening waits for no longer than it should`()
      throws
    {
      let folder = try TemporaryDirectory()
      let filled = folder.file("filled")
      try CrashOperation.makeStore(at: filled)
      var busyCount = 0
      for call in 1...6 {
        let store = folder.file("\(call)")
        try FileManager.default.copyItem(at: filled, to: store)
        let other = try WriterProcess(
          storeAt: store, doing: .inferredMigration, .stopToRead, at: call)
        defer { other.end() }
        guard other.waitUntilStopped() else { continue }
        do {
          _ = try PersistentContainer(
            at: store, model: Ledger.model(), busyTimeout: .milliseconds(50))
        } catch StoreError.storeBusy(let processID) {
          #expect(processID == other.processID)
          busyCount += 1
        }
        other.end()
        _ = try PersistentContainer(at: store, model: Ledger.model())
      }
      #expect(busyCount > 0)
    }
  }

  @Suite struct `A store that another process has grown beyond the limit of this one` {
    /// Opens a store with a small limit, and grows it in another process.
    private func grown(
      _ folder: TemporaryDirectory, before growth: (ContextQueue) throws -> Void = { _ in }
    ) throws -> (PersistentStoreCoordinator, ContextQueue) {
      let store = folder.file("ledger.strata")
      try CrashOperation.makeStore(at: store)
      let coordinator = try PersistentStoreCoordinator(
        at: store, model: Ledger.model(), maximumByteCount: 1 << 20)
      let queue = ContextQueue(parent: coordinator)
      try growth(queue)
      for _ in 0..<importCount {
        let other = try WriterProcess(storeAt: store, doing: "grow")
        defer { other.end() }
        #expect(other.wait(for: "grown"))
      }
      let size = try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int
      // Behind the end of the map, which has room for deletions.
      #expect(try #require(size) > 4 << 20)
      return (coordinator, queue)
    }

    private let importCount = 4
    private var lineCount: Int {
      Ledger.filledCount * Ledger.lineCount + importCount * Ledger.importedCount
    }

    @Test func `is read, saved to and deleted from as it is, and grows no more`() throws {
      let folder = try TemporaryDirectory()
      let (coordinator, queue) = try grown(folder)
      #expect(try queue.performAndWait { try $0.count(Line.all) } == lineCount)
      try queue.performAndWait { context in
        try edit(0, "new", in: context)
        try context.save()
      }
      #expect(try texts("new", in: queue) == ["new"])
      // It has free pages at first.
      var count = lineCount
      while count < 40 * Ledger.importedCount {
        do {
          try coordinator.execute(
            BatchInsertRequest(Line.self), rows: 1...Ledger.importedCount
          ) { line, number in
            line.sequence = number
            line.text = "inserted"
          }
          count += Ledger.importedCount
        } catch StoreError.storeFull {
          break
        }
      }
      #expect(count < 40 * Ledger.importedCount)
      #expect(try queue.performAndWait { try $0.count(Line.all) } == count)
      try coordinator.execute(BatchDeleteRequest(Line.all))
      #expect(try queue.performAndWait { try $0.count(Line.all) } == 0)
    }

    @Test func `is saved to first, with changes from before`() throws {
      let folder = try TemporaryDirectory()
      let (_, queue) = try grown(folder) { queue in
        try queue.performAndWait { try edit(0, "new", in: $0) }
      }
      do {
        try queue.performAndWait { try $0.save() }
      } catch StoreError.storage {
        try queue.performAndWait { try $0.save() }
      }
      #expect(try texts("new", in: queue) == ["new"])
    }

    @Test func `is read again when no former state of it is held`() throws {
      let folder = try TemporaryDirectory()
      let (coordinator, holder) = try grown(folder) { holder in
        try holder.performAndWait { context in
          try context.setQueryGeneration(from: .current)
          _ = try context.count(Line.all)
        }
      }
      let queue = ContextQueue(parent: coordinator)
      let error = try #require(throws: StoreError.self) {
        try queue.performAndWait { try $0.count(Line.all) }
      }
      guard case .storage = error else { throw error }
      try holder.performAndWait { context in
        #expect(
          try context.count(Line.all) == Ledger.filledCount * Ledger.lineCount)
        try context.setQueryGeneration(from: nil)
      }
      #expect(try queue.performAndWait { try $0.count(Line.all) } == lineCount)
    }
  }
#endif

// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import CrashLedger
  import Foundation
  import Strata
  import StrataPrimitives
  import StrataTestSupport
  import Testing

  /// Every call by which a process changes, opens or reads a file has a number
  /// (`Tests/CrashPoints`). Each test goes through all numbers of an operation, with some thousand
  /// processes. So `swift test` leaves the suite out, and `.ci/run points` runs it.
  @Suite(
    .enabled(
      if: ProcessInfo.processInfo.environment["STRATA_CRASH_POINTS"] == "1",
      "only with STRATA_CRASH_POINTS=1, as in `.ci/run points`")
  ) struct `A process that is interrupted at a call for a file` {
    @Test(arguments: CrashOperation.allCases)
    func `by a kill leaves the state before or after the operation`(
      operation: CrashOperation
    ) throws {
      var states: [String: Int] = [:]
      var killedCount = 0
      try interrupt(operation, by: [.kill, .tear]) { _, said, state, point in
        #expect(said == nil || said?.outcome == "done", "\(point)")
        if said != nil { #expect(state == .after, "\(point)") }
        if said == nil { killedCount += 1 }
        states["\(state)", default: 0] += 1
      }
      print("\(operation) killed: \(states)")
      #expect(killedCount > 0)
    }

    @Test(arguments: CrashOperation.allCases)
    func `by a full disk leaves the state before it, says so, and can be repeated`(
      operation: CrashOperation
    ) throws {
      var states: [String: Int] = [:]
      try interrupt(operation, by: [.fill, .fillOnce, .limit]) { event, said, state, point in
        let said = try #require(said, "\(point)")
        #expect(said.outcome == "full" || said.outcome == "done", "\(point)")
        expect(said, state, operation, event, point)
        states["\(said.outcome), then \(state)", default: 0] += 1
      }
      print("\(operation) on a full disk: \(states)")
      #expect(states.keys.contains { $0.hasPrefix("full") })
    }

    @Test(arguments: CrashOperation.allCases)
    func `by an error leaves the state before or after it, and can be repeated`(
      operation: CrashOperation
    ) throws {
      var states: [String: Int] = [:]
      let events: [CrashEvent] = [
        .shorten, .failOnce, .fail, .crowdOnce, .crowd, .failToReadOnce, .failToRead,
      ]
      try interrupt(operation, by: events) { event, said, state, point in
        let said = try #require(said, "\(point)")
        expect(said, state, operation, event, point)
        states["\(said.outcome), then \(state)", default: 0] += 1
      }
      print("\(operation) with errors: \(states)")
      #expect(states.keys.contains { $0.hasPrefix("failed") })
    }

    #if DEBUG
      @Test func `by a kill shows that a file has its name too early`() throws {
        try found(.namedTooEarly, by: .kill)
      }

      /// Expects a problem of a backup by a process that makes a mistake.
      private func found(_ fault: StorageFault, by event: CrashEvent) throws {
        try withKnownIssue {
          try interrupt(.backup, by: [event], planting: fault) { _, _, _, _ in }
        } matching: { issue in
          // The process itself must have worked.
          !(issue.error is CocoaError)
        }
      }
    #endif

    private func expect(
      _ said: SaidOutcome, _ state: CrashState, _ operation: CrashOperation, _ event: CrashEvent,
      _ point: String
    ) {
      if said.outcome == "done" {
        #expect(state == .after, "\(point)")
      } else if operation.isRepeatable {
        // A disk that has failed for good keeps a whole file that should be removed.
        #expect(said.repeated == "done" || event == .fail, "\(point)")
        #expect(state == .after, "\(point)")
      } else if operation != .saveAndBackup {
        // A save may be there although its sync was refused, and so may a backup.
        #expect(state != .after, "\(point)")
      }
    }

    /// Runs an operation again and again, and lets an event happen at another call each time. If
    /// the state is the one before it, the operation must then succeed.
    ///
    /// - Parameter check: gets the event, the words of the process, nil if it was killed, and the
    ///   state.
    private func interrupt(
      _ operation: CrashOperation, by events: [CrashEvent], planting fault: StorageFault? = nil,
      check: (CrashEvent, _ said: SaidOutcome?, CrashState, _ point: String) throws -> Void
    ) throws {
      let directory = try TemporaryDirectory()
      let filled = directory.file("filled")
      try CrashOperation.makeStore(at: filled)

      let whole = directory.file("whole")
      try FileManager.default.copyItem(at: filled, to: whole)
      let said = try WriterProcess.result(
        of: operation, onStoreAt: whole, .none, at: 0, planting: fault)
      let counts = try #require(said).counts
      #expect(counts.count == CrashEvent.CallClass.allCases.count && counts[0] > 0)
      #expect(try operation.state(ofStoreAt: whole) == .after)

      for event in events {
        let count = counts[event.calls.rawValue]
        for call in 1...max(count, 1) where call <= count {
          let point = "\(operation): \(event) at call \(call) of \(count)"
          let store = directory.file("\(call)-\(event)")
          try FileManager.default.copyItem(at: filled, to: store)
          let said = try WriterProcess.result(
            of: operation, onStoreAt: store, event, at: call, planting: fault)
          #expect(
            try !isLeftover(besideStoreAt: store) || mayLeaveFile(event, said), "\(point): a file")
          let state = try operation.state(ofStoreAt: store)
          if case .torn(let problem) = state { Issue.record("\(point): \(problem)") }
          try check(event, said, state, point)
          if state == .before {
            try operation.prepared(onStoreAt: store)()
            #expect(try operation.state(ofStoreAt: store) == .after, "\(point)")
          }
          for file in try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
          where file.hasPrefix(store.lastPathComponent) {
            try FileManager.default.removeItem(at: directory.file(file))
          }
        }
      }
    }

    /// Whether there is a temporary file of a creation.
    private func isLeftover(besideStoreAt store: URL) throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: store.deletingLastPathComponent().path)
        .contains { $0.hasPrefix(store.lastPathComponent) && $0.contains(".new-") }
    }

    /// Whether a process has had no way to remove a temporary file: it was killed, or the disk has
    /// refused it.
    private func mayLeaveFile(_ event: CrashEvent, _ said: SaidOutcome?) -> Bool {
      guard let said else { return true }
      return event == .fail || event == .failOnce && said.outcome == "done"
    }
  }
#endif

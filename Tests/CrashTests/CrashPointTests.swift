// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import CrashLedger
  import Foundation
  import Strata
  import StrataTestSupport
  import Testing

  /// Every call by which a process changes, opens or reads a file has a number
  /// (`Tests/CrashPoints`). Each test goes through all numbers of an operation.
  @Suite struct `A process that is interrupted at a call for a file` {
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
      } else {
        #expect(state != .after, "\(point)")
      }
    }

    /// Runs an operation again and again, and lets an event happen at another call each time. If
    /// the state is the one before it, the operation must then succeed.
    ///
    /// - Parameter check: gets the event, the words of the process, nil if it was killed, and the
    ///   state.
    private func interrupt(
      _ operation: CrashOperation, by events: [CrashEvent],
      check: (CrashEvent, _ said: SaidOutcome?, CrashState, _ point: String) throws -> Void
    ) throws {
      let directory = try TemporaryDirectory()
      let filled = directory.file("filled")
      try CrashOperation.makeStore(at: filled)

      let whole = directory.file("whole")
      try FileManager.default.copyItem(at: filled, to: whole)
      let said = try WriterProcess.result(of: operation, onStoreAt: whole, .none, at: 0)
      let counts = try #require(said).counts
      #expect(counts.count == CrashEvent.CallClass.allCases.count && counts[0] > 0)
      #expect(try operation.state(ofStoreAt: whole) == .after)

      for event in events {
        let count = counts[event.calls.rawValue]
        for call in 1...max(count, 1) where call <= count {
          let point = "\(operation): \(event) at call \(call) of \(count)"
          let store = directory.file("\(call)-\(event)")
          try FileManager.default.copyItem(at: filled, to: store)
          let said = try WriterProcess.result(of: operation, onStoreAt: store, event, at: call)
          let state = try operation.state(ofStoreAt: store)
          if case .torn(let problem) = state { Issue.record("\(point): \(problem)") }
          try check(event, said, state, point)
          if state == .before {
            try operation.prepared(onStoreAt: store)()
            #expect(try operation.state(ofStoreAt: store) == .after, "\(point)")
          }
          for file in try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
          where file.hasPrefix(store.lastPathComponent) {
            #expect(!file.contains(".new-") || state == .after, "\(point): \(file)")
            try FileManager.default.removeItem(at: directory.file(file))
          }
        }
      }
    }
  }
#endif

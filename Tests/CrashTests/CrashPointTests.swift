// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import CrashLedger
  import Foundation
  import Strata
  import StrataTestSupport
  import Testing

  /// Every call by which a process changes files has a number (`Tests/CrashPoints`). Each test goes
  /// through all numbers of an operation.
  @Suite struct `A process that is interrupted at a call that changes a file` {
    @Test(arguments: CrashOperation.allCases)
    func `by a kill leaves the state before or after the operation`(
      operation: CrashOperation
    ) throws {
      var states: [String: Int] = [:]
      let count = try interrupt(operation, by: [.kill, .tear]) { said, state, point in
        #expect(said == nil || said == "done", "\(point)")
        if said == "done" { #expect(state == .after, "\(point)") }
        states["\(state)", default: 0] += 1
      }
      print("killed at \(count) calls of \(operation): \(states)")
    }

    @Test(arguments: CrashOperation.allCases)
    func `by a full disk leaves the state before it, and says so`(
      operation: CrashOperation
    ) throws {
      var states: [String: Int] = [:]
      let count = try interrupt(operation, by: [.fill]) { said, state, point in
        #expect(
          said == "refused" && state != .after || said == "done" && state == .after, "\(point)")
        states["\(state)", default: 0] += 1
      }
      print("full at \(count) calls of \(operation): \(states)")
    }

    /// Runs an operation again and again, and lets an event happen at another call each time. Then
    /// the operation must succeed.
    ///
    /// - Parameter check: gets the words of the process, nil if it was killed, and the state.
    /// - Returns: the number of calls of the whole operation.
    private func interrupt(
      _ operation: CrashOperation, by events: [CrashEvent],
      check: (_ said: String?, CrashState, _ point: String) throws -> Void
    ) throws -> Int {
      let directory = try TemporaryDirectory()
      let filled = directory.file("filled")
      try CrashOperation.makeStore(at: filled)

      let whole = directory.file("whole")
      try FileManager.default.copyItem(at: filled, to: whole)
      let said = try WriterProcess.result(of: operation, onStoreAt: whole, .none, at: 0)
      let count = try #require(said.flatMap { Int($0.split(separator: " ")[1]) })
      #expect(count > 0)
      #expect(try operation.state(ofStoreAt: whole) == .after)

      for call in 1...count {
        for event in events {
          let point = "\(operation): \(event) at call \(call) of \(count)"
          let store = directory.file("\(call)-\(event)")
          try FileManager.default.copyItem(at: filled, to: store)
          let said = try WriterProcess.result(of: operation, onStoreAt: store, event, at: call)
          let state = try operation.state(ofStoreAt: store)
          if case .torn(let problem) = state { Issue.record("\(point): \(problem)") }
          try check(said.map { String($0.split(separator: " ")[0]) }, state, point)
          if state == .before {
            try operation.run(onStoreAt: store)
            #expect(try operation.state(ofStoreAt: store) == .after, "\(point)")
          }
          for file in try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
          where file.hasPrefix(store.lastPathComponent) {
            #expect(!file.contains(".new-") || state == .after, "\(point): \(file)")
            try FileManager.default.removeItem(at: directory.file(file))
          }
        }
      }
      return count
    }
  }
#endif

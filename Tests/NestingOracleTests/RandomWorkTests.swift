// SPDX-License-Identifier: Apache-2.0
import Foundation
import NestingOracle
import Testing

@Suite struct `Random work in nested contexts` {
  // On a thread of its own: the walk blocks, and the other tests need the few threads of the pool.
  @Test func `shows and stores what is promised`() async throws {
    // The sequences are the same each time: the engine and the promise still differ in a few others.
    let environment = ProcessInfo.processInfo.environment
      .merging(["STRATA_NESTING_SEED": "1"]) { given, _ in given }
    let walk = try Walk(count: 300, environment: environment)
    let findings: [String] = try await withCheckedThrowingContinuation { continuation in
      Thread {
        // Safety: the walk reports one finding at a time.
        nonisolated(unsafe) var findings: [String] = []
        continuation.resume(
          with: Result {
            try walk.run { findings.append("\($0)") }
            return findings
          })
      }.start()
    }
    for finding in findings { Issue.record("\(finding)") }
  }
}

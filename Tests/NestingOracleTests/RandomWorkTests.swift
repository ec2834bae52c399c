// SPDX-License-Identifier: Apache-2.0
import Foundation
import NestingOracle
import StrataTestSupport
import Testing

@Suite struct `Random work in nested contexts` {
  @Test func `shows and stores the promised values`() async throws {
    // The sequences are the same each time, so that the change makes the difference.
    let environment = ProcessInfo.processInfo.environment
      .merging(["STRATA_NESTING_SEED": "1"]) { given, _ in given }
    let walk = try Walk(count: 60, environment: environment)
    let findings = try await onOwnThread {
      // Safety: the walk reports one finding at a time.
      nonisolated(unsafe) var findings: [String] = []
      try walk.run { findings.append("\($0)") }
      return findings
    }
    for finding in findings { Issue.record("\(finding)") }
  }
}

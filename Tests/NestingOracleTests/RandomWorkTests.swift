// SPDX-License-Identifier: Apache-2.0
import Foundation
import NestingOracle
import Testing

@Suite struct `Random work in nested contexts` {
  @Test func `shows and stores what is promised`() throws {
    let walk = try Walk(count: 300, environment: ProcessInfo.processInfo.environment)
    try walk.run { Issue.record("\($0)") }
  }
}

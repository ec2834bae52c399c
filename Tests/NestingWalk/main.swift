// SPDX-License-Identifier: Apache-2.0
//
// Random work in nested contexts against the promise, without the other tests: Docs/Testing.md.

import Foundation
import NestingOracle

let environment = ProcessInfo.processInfo.environment
if let text = environment["STRATA_NESTING_REPLAY"] {
  let trial = try Trial(text)
  let failure = trial.run()
  print(failure.map { "\($0.trial)\n\($0.complaint)" } ?? "as promised")
  exit(failure == nil ? 0 : 1)
}
let walk = try Walk(count: 1_000, environment: environment)
let start = Date()
nonisolated(unsafe) var isWrong = false  // Safety: set before the walk has ended, read after it.
let stepCount = try walk.run { finding in
  isWrong = true
  FileHandle.standardOutput.write(Data("\(finding)\n".utf8))
}
let seconds = Date().timeIntervalSince(start)
print(
  isWrong ? "not as promised" : "as promised", "\(stepCount) steps",
  "\(String(format: "%.1f", seconds)) s", separator: ", ")
exit(isWrong ? 1 : 0)

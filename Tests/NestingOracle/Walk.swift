// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
package import StrataTestSupport
import Synchronization

/// Many sequences, one seed after the other.
///
/// The environment says which:
///
/// | variable | |
/// | --- | --- |
/// | `STRATA_NESTING_SEED` | the first seed |
/// | `STRATA_NESTING_SEQUENCES` | how many sequences |
/// | `STRATA_NESTING_STEPS` | how long each is, 60 by default |
/// | `STRATA_NESTING_WITHOUT` | groups of operations to leave out |
/// | `STRATA_NESTING_THREADS` | how many threads run sequences |
/// | `STRATA_NESTING_FAILURES` | after how many failures it ends, 1 by default |
/// | `STRATA_NESTING_SHRINKING` | tries to shorten a failing sequence, 2,000 by default |
/// | `STRATA_NESTING_FAULT` | a planted fault that is to be found |
/// | `STRATA_NESTING_TRACE=1` | prints each seed and each step before it is done |
package struct Walk: Sendable {
  package var first: UInt64
  package var count: UInt64
  package var stepCount: Int
  package var without: Set<Group>
  package var threadCount: Int
  package var failureCountMax: Int
  package var fault: Fault?
  /// How often a failing sequence is tried in shorter forms.
  package var shrinkingLimit: Int

  /// - Parameter count: how many sequences there are if the environment does not say.
  /// - Throws: `Trial.Unreadable` if it names a group or a fault that there is not.
  package init(count: UInt64, environment: [String: String]) throws {
    first = environment["STRATA_NESTING_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999_999)
    self.count = environment["STRATA_NESTING_SEQUENCES"].flatMap(UInt64.init) ?? count
    stepCount = environment["STRATA_NESTING_STEPS"].flatMap(Int.init) ?? 60
    threadCount = environment["STRATA_NESTING_THREADS"].flatMap(Int.init) ?? 1
    failureCountMax = environment["STRATA_NESTING_FAILURES"].flatMap(Int.init) ?? 1
    shrinkingLimit = environment["STRATA_NESTING_SHRINKING"].flatMap(Int.init) ?? 2_000
    fault = try environment["STRATA_NESTING_FAULT"].map(Fault.init)
    without = []
    for name in (environment["STRATA_NESTING_WITHOUT"] ?? "").split(separator: ",") {
      guard let group = Group(rawValue: String(name)) else {
        let known = Group.allCases.map(\.rawValue).joined(separator: ", ")
        throw Trial.Unreadable(description: "'\(name)' is no group: there are \(known)")
      }
      without.insert(group)
    }
  }

  /// After how many sequences it says how far it is.
  private static let progressStep: UInt64 = 10_000

  /// Runs the sequences.
  ///
  /// - Parameter report: called with each failure, shrunk, on any thread.
  /// - Returns: how many steps were taken.
  @discardableResult
  package func run(report: @escaping @Sendable (ModelFailure) -> Void) throws -> Int {
    print("sequences \(first)..<\(first + count) of up to \(stepCount) steps")
    let run = SeedRun(first: first, count: count, failureCountMax: failureCountMax)
    let stepsTaken = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<max(1, threadCount) {
      group.enter()
      Thread {
        work(run, stepsTaken, report)
        group.leave()
      }.start()
    }
    group.wait()
    return stepsTaken.load(ordering: .relaxed)
  }

  private func work(
    _ run: SeedRun, _ stepsTaken: borrowing Atomic<Int>, _ report: (ModelFailure) -> Void
  ) {
    let stages = Stages(fault: fault)
    while let seed = run.next(report: tellProgress) {
      if Trace.isOn { Trace.print("seed \(seed)") }
      do {
        let (failure, steps) = Trial.run(
          seed: seed, stepCount: stepCount, without: without, on: stages)
        stepsTaken.add(steps, ordering: .relaxed)
        if let failure {
          stages.forget()
          if run.fail() {
            report(text(of: failure.shrunk(with: fault, limit: shrinkingLimit), seed))
          }
        } else {
          try stages.clear()
        }
      } catch {
        let trial = Trial(setup: Setup(), operations: [])
        report(text(of: Trial.Failure(trial: trial, complaint: "throws \(error)"), seed))
        return
      }
    }
  }

  private func tellProgress(_ done: UInt64) {
    guard done > 0, done.isMultiple(of: Self.progressStep) else { return }
    print("begun \(done) of \(count): go on with STRATA_NESTING_SEED=\(first + done)")
    fflush(nil)
  }

  private func text(of failure: Trial.Failure, _ seed: UInt64) -> ModelFailure {
    ModelFailure(
      seed: seed, stepCount: failure.trial.operations.count, complaint: failure.complaint,
      replay: "STRATA_NESTING_REPLAY=\"\(failure.trial)\"")
  }
}

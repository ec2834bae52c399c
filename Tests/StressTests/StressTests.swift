// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// Eight tasks over six contexts: workers push into a root that saves without stopping and is
/// refused now and then, two other roots write to the same store, readers are everywhere. Best run
/// under the thread sanitizer, for longer: `.ci/run tsan`, or STRATA_STRESS_ROUNDS.
@Suite struct `Many tasks over many contexts` {
  @Test func `lose no update and see no half of a turn`() async throws {
    let roundCountMin =
      ProcessInfo.processInfo.environment["STRATA_STRESS_ROUNDS"].flatMap(Int.init) ?? 2_000
    let stress = try await Stress(roundCountMin: roundCountMin)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await stress.transferInTheWorker() }
      group.addTask { try await stress.countInTheWorker() }
      group.addTask { try await stress.countInTheChild() }
      group.addTask { try await stress.saveTheRoot() }
      group.addTask { try await stress.disturbTheRoot() }
      group.addTask { try await stress.countIn(stress.otherRoots.0, transfers: true) }
      group.addTask { try await stress.countIn(stress.otherRoots.1, transfers: false) }
      group.addTask { try await stress.read() }
      try await group.waitForAll()
    }
    try await stress.worker.save()
    try await stress.container.root.save()
    let fresh = ContextQueue(parent: stress.container.coordinator)
    let counts = await stress.counts.all
    print("stress of \(roundCountMin) rounds: \(counts.sorted { $0.key < $1.key })")
    for name in ["worker", "child", "shared"] {
      let count = counts[name] ?? 0
      let stored = try await fresh.perform { context in
        try context.fetch(Account.where { $0.name == name }).map(\.balance)
      }
      #expect(stored == [count], "\(name)")
      #expect(count > 0, "\(name)")
    }
    #expect(counts["transfer"] ?? 0 > 0)
    #expect(counts["read"] ?? 0 > 0)
    #expect(try await fresh.perform { try Stress.sums($0) } == Stress.expectedSums)
  }
}

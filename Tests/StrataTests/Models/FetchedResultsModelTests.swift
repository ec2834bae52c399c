// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `Fetched lists compared with fetching again` {
  /// STRATA_LIST_HISTORIES sets how many histories there are, STRATA_MODEL_SEED the first one's seed;
  /// the others count on from there.
  @Test func `are what was told of them, after each step of many random histories`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["STRATA_LIST_HISTORIES"].flatMap(UInt64.init) ?? 250
    let first = SeededGenerator.firstSeed()
    print("\(count) histories from seed \(first)")
    let progress = Progress(first: first)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          while true {
            let seed = progress.next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard seed < first + count else { return }
            if let difference = try await FetchedListHistory.difference(seed: seed) {
              Issue.record("seed \(seed)\n\(difference)")
              return
            }
            progress.doneCount.add(1, ordering: .relaxed)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(progress.doneCount.load(ordering: .relaxed) == Int(count))
  }

  /// What those who do the histories share.
  private final class Progress: Sendable {
    let next: Atomic<UInt64>
    let doneCount = Atomic(0)

    init(first: UInt64) { next = Atomic(first) }
  }

  #if DEBUG
    @Test(arguments: [PlantedFault.relatedForgotten, .movesUncounted])
    func `differ with a planted mistake`(_ fault: PlantedFault) async throws {
      for seed in UInt64(1)...60 {
        if try await FetchedListHistory.difference(seed: seed, fault: fault) != nil {
          print("\(fault) is found with seed \(seed)")
          return
        }
      }
      Issue.record("\(fault) is not found")
    }
  #endif
}

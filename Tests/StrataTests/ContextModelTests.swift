// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import StrataChanges
  import Synchronization
  import Testing

  @Suite struct `A tree of contexts compared with a naive one` {
    private static let operationCount = 200

    /// STRATA_MODEL_SEQUENCES sets how many sequences there are, STRATA_MODEL_SEED the first one's
    /// seed; the others count on from there. `.ci/run model` does 20,000.
    @Test func `shows the same after each of many random operations`() async throws {
      let environment = ProcessInfo.processInfo.environment
      let count = environment["STRATA_MODEL_SEQUENCES"].flatMap(UInt64.init) ?? 12
      let first =
        environment["STRATA_MODEL_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max / 2)
      print("\(count) sequences from seed \(first)")
      let progress = Progress(first: first)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
          group.addTask {
            while true {
              let seed = progress.next.wrappingAdd(1, ordering: .relaxed).oldValue
              guard seed < first + count else { return }
              if let difference = try await Self.difference(seed: seed) {
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

    /// What those who do the sequences share.
    private final class Progress: Sendable {
      let next: Atomic<UInt64>
      let doneCount = Atomic(0)

      init(first: UInt64) { next = Atomic(first) }
    }

    /// - Returns: what differs and how it came about; nil if nothing does.
    private static func difference(
      seed: UInt64, with fault: PlantedFault? = nil
    ) async throws -> String? {
      var world = try ContextModelWorld(seed: seed, fault: fault)
      return try await world.run(operationCount: operationCount)
    }

    // MARK: - Mistakes that it finds

    /// Among them each planted mistake shows; without one, nothing does. Where the operations change,
    /// so do the sequences: then try 1, 2, 3 …
    private static let seeds: [UInt64] = [142, 216, 385, 581]

    @Test func `shows the same for the seeds that find planted mistakes`() async throws {
      for seed in Self.seeds {
        let difference = try await Self.difference(seed: seed)
        #expect(difference == nil, "seed \(seed)")
      }
    }

    @Test(arguments: [
      PlantedFault.wholeRecords, .newestBase, .updateRevives, .deletesStopShort, .staleBase,
    ])
    func `finds a planted mistake`(_ fault: PlantedFault) async throws {
      for seed in Self.seeds where try await Self.difference(seed: seed, with: fault) != nil {
        print("\(fault) is found with seed \(seed)")
        return
      }
      Issue.record("\(fault) is not found")
    }
  }
#endif

// SPDX-License-Identifier: Apache-2.0
import Strata

/// Simulates a user interface during an import: reads repeatedly on the main actor.
///
/// The longest duration of a read is measured. Readers wait neither for the worker's saves nor for
/// the disk.
struct UIReads: Sendable {
  private(set) var count = 0
  /// The longest duration of one read.
  private(set) var longest = Duration.zero

  /// Reads until the task is cancelled.
  @MainActor static func untilCancelled(in context: ManagedObjectContext) async throws -> UIReads {
    let clock = ContinuousClock()
    var reads = UIReads()
    while !Task.isCancelled {
      let duration = try clock.measure { try readScreen(context) }
      reads.count += 1
      reads.longest = max(reads.longest, duration)
      try? await Task.sleep(for: .milliseconds(2))
    }
    return reads
  }

  /// Reads the data of one screen: the ten largest cities, and the number of large cities.
  private static func readScreen(_ context: ManagedObjectContext) throws {
    _ = try context.fetch(City.all.sorted(by: \.population, order: .reverse).limit(10)).map(\.name)
    _ = try context.count(City.where { $0.population >= 5_000_000 })
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The cost of the saves of an import, and the time for which they block the main actor.
struct Costs {
  /// Where a save puts the changes.
  enum Destination { case inMemory, toDisk }

  private var saves: [Destination: Durations] = [:]
  private var blocking = Durations()
  private var reading = Durations()

  /// Measures a save. The main actor is free while the task waits.
  @MainActor mutating func measure(
    _ destination: Destination, blocksMain: Bool, _ save: () async throws -> Void
  ) async throws {
    note(try await ContinuousClock().measure(save), destination, blocksMain)
  }

  @MainActor mutating func measure(
    _ destination: Destination, blocksMain: Bool, _ save: () throws -> Void
  ) throws {
    note(try ContinuousClock().measure(save), destination, blocksMain)
  }

  /// Measures a read of the main context, for which the user waits.
  @MainActor mutating func measureReading(_ read: () throws -> Screen) throws {
    reading.add(try ContinuousClock().measure { _ = try read() })
  }

  private mutating func note(
    _ duration: Duration, _ destination: Destination, _ blocksMain: Bool
  ) {
    saves[destination, default: Durations()].add(duration)
    if blocksMain { blocking.add(duration) }
  }

  /// A line of the table that the program prints.
  var columns: [String] {
    [saves[.inMemory], saves[.toDisk], blocking, reading].map { ($0 ?? Durations()).text }
  }
}

/// How often something was done, and how long it took.
struct Durations {
  private(set) var count = 0
  private(set) var total = Duration.zero
  private(set) var longest = Duration.zero

  mutating func add(_ duration: Duration) {
    (count, total, longest) = (count + 1, total + duration, max(longest, duration))
  }

  /// For example `36 × 5.1, ≤ 9.8`: the number, the mean and the longest in milliseconds.
  var text: String {
    guard count > 0 else { return "none" }
    return "\(count) × \(milliseconds(total / count)), ≤ \(milliseconds(longest))"
  }
}

/// Returns milliseconds with one decimal.
private func milliseconds(_ duration: Duration) -> String {
  duration.formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1)))
}

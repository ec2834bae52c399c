// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Synchronization

extension Workload {
  /// Its second figure is the time from one save of the writer to the next.
  static let w11 = Workload(
    "W11", "read by ID while another thread commits saves of 100", per: "read", on: .batched,
    targets: ["W11": .timesLMDB(1.6)], waiting: ["W11", "W11/writer"]
  ) { peer, setting in
    let serials = setting.people.shuffledSerials
    // Long enough for some saves to come in between.
    let passes = max(1, 100_000 / serials.count)
    let change = try peer.makeChanger()
    let changer = Changer(change)
    peer.forget()
    let start = measure_wall()
    let figure = try setting.measure("W11", operations: serials.count * passes) {
      let thread = Threads { _ in try changer.run() }
      var sum: UInt64 = 0
      for pass in 0..<passes {
        if pass > 0 { peer.forget() }
        sum = try peer.readByID(serials, perTurn: 100)
      }
      changer.stop()
      try thread.join()
      return { sum }
    }
    let elapsed = Double(measure_wall() - start)
    return [
      figure,
      // A slow writer makes fast readers.
      Figure(
        workload: "W11/writer", nanoseconds: elapsed / Double(max(1, changer.saveCount)),
        notes: ["\(changer.saveCount) saves beside the reads"]),
    ]
  }
}

/// Saves again and again until it is stopped.
private final class Changer: Sendable {
  private let change: @Sendable (Int) throws -> Void
  private let isStopped = Atomic(false)
  private let count = Atomic(0)

  init(_ change: @escaping @Sendable (Int) throws -> Void) { self.change = change }

  var saveCount: Int { count.load(ordering: .relaxed) }

  func run() throws {
    while !isStopped.load(ordering: .relaxed) {
      try change(count.add(1, ordering: .relaxed).oldValue)
    }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }
}

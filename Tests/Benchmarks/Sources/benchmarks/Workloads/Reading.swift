// SPDX-License-Identifier: Apache-2.0
import Synchronization

extension Workload {
  static let w4 = Workload(
    "W4", "read all by ID in random order in a fresh context, touch 3 fields", per: "object",
    on: .bulk, target: .timesLMDB(1.7)
  ) { peer, setting in
    peer.forget()
    let serials = setting.people.shuffledSerials
    return try setting.measure("W4", operations: serials.count) {
      let sum = try peer.readByID(serials, perTurn: serials.count)
      return { sum }
    }
  }

  static let w4h = Workload(
    "W4h", "the same again, objects registered", per: "object", on: .bulk,
    target: .timesLMDB(0.35), limit: "W4"
  ) { peer, setting in
    peer.forget()
    let serials = setting.people.shuffledSerials
    _ = try peer.readByID(serials, perTurn: serials.count)
    return try setting.measure("W4h", operations: serials.count) {
      let sum = try peer.readByID(serials, perTurn: serials.count)
      return { sum }
    }
  }

  static let w5 = Workload(
    "W5", "fetch all as objects, sum age and name length", per: "object", on: .bulk,
    target: .timesLMDB(1.3)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W5", operations: setting.people.scale) {
      let sum = try peer.fetchAll()
      return { sum }
    }
  }

  static let w5s = Workload(
    "W5s", "stream the same two fields without objects", per: "row", on: .bulk,
    target: .timesLMDB(2.5)
  ) { peer, setting in
    peer.forget()
    return try setting.measure("W5s", operations: setting.people.scale) {
      let sum = try peer.stream()
      return { sum }
    }
  }

  static let w10 = Workload(
    "W10", "from each person to the company, read its name's length and last byte", per: "hop",
    on: .bulk, target: .timesLMDB(0.5)
  ) { peer, setting in
    peer.forget()
    try peer.prepareHop()
    return try setting.measure("W10", operations: setting.people.scale) {
      let sum = try peer.hop()
      return { sum }
    }
  }

  static let w11 = Workload(
    "W11", "read by ID while another thread commits saves of 100", per: "read", on: .batched,
    target: .timesLMDB(1.6)
  ) { peer, setting in
    let serials = setting.people.shuffledSerials
    // Long enough for some saves to come in between.
    let passes = max(1, 100_000 / serials.count)
    let change = try peer.makeChanger()
    let changer = Changer(change)
    peer.forget()
    var figure = try setting.measure("W11", operations: serials.count * passes) {
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
    figure.notes = ["\(changer.saveCount) saves beside the reads"]
    return figure
  }

  static let w12 = Workload(
    "W12", "open a store of N and answer the first W6 query, file cached", per: "opening",
    on: .bulk, target: .timesLMDB(1.6)
  ) { peer, setting in
    let figures = try setting.people.someNames(5).map { name in
      try peer.close()
      return try setting.measure("W12", operations: 1) {
        try peer.open()
        let sum = try peer.fetchByName([name])
        return { sum }
      }
    }
    var median = figures.sorted { $0.nanoseconds! < $1.nanoseconds! }[figures.count / 2]
    median.checksum = figures.reduce(0) { $0 &+ $1.checksum! }
    return median
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

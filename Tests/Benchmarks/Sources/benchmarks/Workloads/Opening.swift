// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Workload {
  /// The first opening in a process: a process that has opened a store before has the schema, the
  /// types' metadata and the allocator's memory at hand.
  static let w12 = Workload(
    "W12", "open a store of N in a fresh process and answer the first W6 query, file cached",
    per: "opening", on: .bulk, target: .timesLMDB(2.2)
  ) { peer, setting in
    try peer.close()
    let figures = try setting.people.someNames(5).map { name in
      try ProcessWork.opening.figure(
        ProcessWork.Order(
          peer: setting.peer, scale: setting.people.scale, file: setting.file, number: Int(name)))
    }
    try peer.open()
    var median = figures.sorted { $0.cpuNanoseconds! < $1.cpuNanoseconds! }[figures.count / 2]
    median.checksum = figures.reduce(0) { $0 &+ $1.checksum! }
    return median
  }
}

extension ProcessWork {
  /// The number belongs to the name.
  static let opening = ProcessWork(name: "W12") { order in
    // No rows are needed for a query.
    let peer = order.peer.type!.init(People(scale: 1, extra: 0), at: order.file)
    return try Measurement().run("W12", operations: 1) {
      try peer.open()
      let sum = try peer.fetchByName([UInt32(order.number)])
      return { sum }
    }
  }
}

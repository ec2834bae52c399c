// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Foundation
import Strata

extension Workload {
  /// The largest growth of resident memory, mapped files included, in a process that does nothing
  /// else.
  static let massChange = Workload(
    "M", "peak memory of a mass insert, and of a mass update, in a process of its own each",
    per: "object", on: .empty,
    targets: ["M/insert": .bytes(350), "M/update": .bytes(350)]
  ) { _, setting in
    let order = ProcessWork.Order(
      peer: setting.peer, scale: setting.people.scale, file: setting.file, number: 0)
    return try [ProcessWork.massInsert, .massUpdate].map { work in
      let figure = try work.figure(order)
      guard let peak = figure.peakBytes, peak > 0 else {
        throw Unsupported(reason: "this system does not say what is resident")
      }
      return Figure(
        workload: work.name, bytes: Double(peak) / Double(order.scale), checksum: figure.checksum)
    }
  }

  /// Pages of the file are mapped and not counted: the system takes them back when it needs them.
  static let stream = Workload(
    "M/stream", "the sum of all ages, row by row: growth of the process's own memory", per: "sum",
    targets: ["M/stream": .bytes(20_000_000)]
  ) { setting in
    let context = ManagedObjectContext(parent: try setting.reference.contents().coordinator)
    measure_reset_peak(true)
    let start = measure_own_resident()
    guard start > 0 else { throw Unsupported(reason: "this system does not say what is resident") }
    var (sum, count, most) = (0 as UInt64, 0, start)
    try context.forEachRow(Person.all.select(\.age)) { age in
      sum &+= UInt64(age)
      count += 1
      if count.isMultiple(of: 10_000) { most = max(most, measure_own_resident()) }
    }
    most = max(most, measure_own_resident())
    return [Figure(workload: "M/stream", bytes: Double(most - start), checksum: sum)]
  }
}

extension ProcessWork {
  static let massInsert = ProcessWork(name: "M/insert") { order in
    let people = People(scale: order.scale, extra: 0)
    let peer = order.peer.type!.init(people, at: order.file)
    try peer.open(.unsynced)
    let figure = try Measurement(trims: true).run("M/insert", operations: order.scale) {
      try peer.insertAndForget(1...order.scale)
      return peer.digest
    }
    try peer.close()
    return figure
  }

  /// Of the store that `massInsert` has left.
  static let massUpdate = ProcessWork(name: "M/update") { order in
    let peer = order.peer.type!.init(People(scale: 1, extra: 0), at: order.file)
    try peer.open(.unsynced)
    let figure = try Measurement(trims: true).run("M/update", operations: order.scale) {
      try peer.raiseScores()
      return peer.digest
    }
    try peer.close()
    return figure
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

extension Workload {
  /// A program is developed in debug builds. The debug build of this program does the work in a
  /// process of its own, and so does this one.
  static let debug = Workload(
    "D", "import, getter and setter in a debug build, beside the release build", per: "object",
    targets: Dictionary(
      uniqueKeysWithValues: [(ProcessWork.importing, 4.0), (.getting, 6), (.setting, 6)].map {
        ($0.0.name, .times($0.1, of: $0.0.name + "/release"))
      })
  ) { setting in
    let debugProgram = try debugProgram
    return try [ProcessWork.importing, .getting, .setting].flatMap { work in
      let figures = try [debugProgram, ProcessWork.thisProgram].map { program in
        let folder = try Folder(in: setting.folder.url)
        return try work.figure(
          ProcessWork.Order(
            peer: .strata, scale: 20_000, file: folder.file("people"), number: 0),
          program: program)
      }
      guard figures[0].checksum == figures[1].checksum else { throw DifferentBuilds() }
      var release = figures[1]
      release.workload += "/release"
      return [figures[0], release]
    }
  }

  /// The debug build in the same build folder.
  private static var debugProgram: URL {
    get throws {
      let built = ProcessWork.thisProgram.deletingLastPathComponent()
      let program = built.deletingLastPathComponent().appendingPathComponent("debug/benchmarks")
      guard FileManager.default.isExecutableFile(atPath: program.path) else {
        throw Unsupported(
          reason: "there is no debug build: swift build -c debug --product benchmarks "
            + "with the same --scratch-path makes it")
      }
      return program
    }
  }
}

/// The two builds have read different values.
private struct DifferentBuilds: Error {}

extension ProcessWork {
  static let importing = ProcessWork(name: "D/import") { order in
    let people = People(scale: order.scale, extra: 0)
    let peer = StrataPeer(people, at: order.file)
    try peer.open(.unsynced)
    return try Measurement().run("D/import", operations: order.scale) {
      try peer.insertAndForget(1...order.scale)
      return peer.digest
    }
  }

  static let getting = ProcessWork(name: "D/getter") { order in
    try withRegistered(order) { people in
      try Measurement().run("D/getter", operations: passes * people.count) {
        var sum = 0
        for _ in 0..<passes { for person in people { sum &+= person.age } }
        return { UInt64(sum) }
      }.without(loop(over: people))
    }
  }

  static let setting = ProcessWork(name: "D/setter") { order in
    try withRegistered(order) { people in
      try Measurement().run("D/setter", operations: passes * people.count) {
        for pass in 0..<passes { for person in people { person.age = pass } }
        return { UInt64(people.reduce(0) { $0 + $1.age }) }
      }.without(loop(over: people))
    }
  }

  /// The loop around the getter and the setter alone. In a debug build, where the standard
  /// library's iterators are not specialized, it takes three times as long as the getter.
  private static func loop(over people: [Person]) throws -> Figure {
    try Measurement().run("loop", operations: passes * people.count) {
      var count = 0
      for _ in 0..<passes { for _ in people { count &+= 1 } }
      return { UInt64(count) }
    }
  }

  private static let passes = 10

  /// Runs the body with persons that are registered and have been read.
  private static func withRegistered(
    _ order: Order, _ body: ([Person]) throws -> Figure
  ) throws -> Figure {
    let peer = StrataPeer(People(scale: order.scale, extra: 0), at: order.file)
    try peer.open(.unsynced)
    try peer.insertAndForget(1...order.scale)
    let context = ManagedObjectContext(parent: peer.coordinator)
    let people = try context.fetch(Person.all)
    for person in people { _ = person.age }
    return try body(people)
  }
}

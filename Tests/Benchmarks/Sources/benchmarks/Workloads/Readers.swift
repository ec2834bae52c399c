// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Foundation
import Synchronization

extension Workload {
  /// Threads read for a fixed time: a collapse shows in the rate, and takes no longer. Each answer
  /// is compared with the expected one.
  static let readers = Workload(
    "R", "1, 2, 4 and 8 threads read by name: the IDs; name and age of the objects", per: "query",
    on: .bulk, targets: ["R/8": .throughput(1.75, of: "R/1")],
    waiting: Set(threadCounts.flatMap { ["R/\($0)", "R/\($0)/objects"] })
  ) { peer, setting in
    let answers = Answers(setting.people)
    return try threadCounts.flatMap { count in
      let readers = try (0..<count).map { _ in try peer.makeReader() }
      defer { for reader in readers { try? reader.close() } }
      return [
        try measureReaders(setting, "R/\(count)", readers) { reader, name in
          try answers.check(reader.countIDs(named: answers.names[name]), of: name)
        },
        try measureReaders(setting, "R/\(count)/objects", readers) { reader, name in
          try answers.check(reader.sumPersons(named: answers.names[name]), of: name)
        },
      ]
    }
  }

  private static let threadCounts = [1, 2, 4, 8]
  private static let nanoseconds: UInt64 = 200_000_000

  /// The time divided by the number of the reads of all threads: the rate's reciprocal.
  private static func measureReaders(
    _ setting: Setting, _ workload: String, _ readers: [any ThreadReader],
    _ read: @escaping @Sendable (any ThreadReader, _ name: Int) throws -> Void
  ) throws -> Figure {
    let nameCount = setting.people.nameCount
    // Work that each reader does once is done before.
    for reader in readers { try read(reader, 0) }
    let reads = Counter()
    let figure = try setting.measure(workload, operations: 1) {
      let end = measure_wall() + nanoseconds
      try Threads(readers.count) { index in
        // Each thread begins at another name.
        var name = index * nameCount / readers.count
        var done = 0
        while measure_wall() < end {
          for _ in 0..<8 {
            try read(readers[index], name)
            name = (name + 1) % nameCount
          }
          done += 8
        }
        reads.add(done)
      }.join()
      return { 0 }
    }
    let total = Double(reads.total)
    return Figure(
      workload: workload, nanoseconds: figure.nanoseconds! / total,
      cpuNanoseconds: figure.cpuNanoseconds! / total, peakBytes: figure.peakBytes)
  }
}

/// Counted by several threads.
private final class Counter: Sendable {
  private let value = Atomic(0)
  var total: Int { value.load(ordering: .relaxed) }
  func add(_ count: Int) { value.add(count, ordering: .relaxed) }
}

/// The names, and the expected answer for each.
private final class Answers: Sendable {
  let names: [String]
  private let counts: [String: Int]
  private let sums: [String: UInt64]

  struct Wrong: Error {
    let name: String
  }

  init(_ people: People) {
    names = people.someNames(people.nameCount).map { People.name(Int($0)) }
    var counts: [String: Int] = [:]
    var sums: [String: UInt64] = [:]
    for person in people.persons[1...people.scale] {
      counts[person.name, default: 0] += 1
      sums[person.name, default: 0] &+= personSum(age: person.age, name: person.name)
    }
    (self.counts, self.sums) = (counts, sums)
  }

  func check(_ count: Int, of name: Int) throws {
    guard count == counts[names[name], default: 0] else { throw Wrong(name: names[name]) }
  }

  func check(_ sum: UInt64, of name: Int) throws {
    guard sum == sums[names[name], default: 0] else { throw Wrong(name: names[name]) }
  }
}

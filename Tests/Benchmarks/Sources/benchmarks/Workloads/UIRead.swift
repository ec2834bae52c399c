// SPDX-License-Identifier: Apache-2.0
import CMeasure
import CPeople
import Foundation
import Strata
import Synchronization

extension Workload {
  /// Stretches of importing and stretches of a thread that is as busy with something else take
  /// turns, with the same number of reads beside each.
  static let w15 = Workload(
    "W15", "p99 of a UI child's indexed read while a worker imports 10 N objects and root saves",
    per: "read", targets: ["W15": .times(1.3, of: "W15/busy-thread")],
    waiting: ["W15", "W15/busy-thread"]
  ) { setting in
    let folder = try Folder(in: setting.folder.url)
    let scene = try ImportScene(setting.people, at: folder.file("ui.strata"))
    let total = min(1_000_000, 10 * setting.people.scale)
    let stretch = max(1, total / 20)
    var (beside, baseline) = (ReadTimes(), ReadTimes())
    for first in stride(from: 0, to: total, by: stretch) {
      let count = try scene.read(
        beside: { try scene.importObjects(first..<first + stretch) }, into: &beside)
      try scene.read(count, besideBusyThread: BusyWork(), into: &baseline)
    }
    // The same names were asked for as often.
    guard beside.sum == baseline.sum else { throw DifferentReads() }
    var figure = beside.figure("W15")
    figure.notes = scene.notes(beside, baseline)
    return [baseline.figure("W15/busy-thread"), figure]
  }
}

/// The reads beside the import and those beside the busy thread have not found the same.
private struct DifferentReads: Error {}

/// Root, worker and UI over one durable store.
///
/// ## Isolation
/// Sendable: the worker's thread imports while the UI's thread reads.
private final class ImportScene: Sendable {
  let container: PersistentContainer
  private let worker: ContextQueue
  private let ui: ContextQueue
  private let people: People
  private let companyIDs: [ObjectID]
  private let names: [String]
  private let saves = Mutex<[Range<UInt64>]>([])

  private static let batchCount = 1_000

  init(_ people: People, at file: URL) throws {
    self.people = people
    container = try PersistentContainer(at: file, model: .people())
    companyIDs = try insertPeople(
      people, 1...people.scale, perSave: people.scale, companyIDs: [],
      below: container.coordinator
    ).companies
    worker = container.newBackgroundContext()
    ui = ContextQueue(parent: container.root)
    names = people.someNames(1_000).map { People.name(Int($0)) }
    for name in names { _ = try ui.personSum(named: name) }
  }

  /// Imports objects of other names than those that are read, in batches that the worker saves to
  /// the root, and has the root save to the disk at the end.
  func importObjects(_ range: Range<Int>) throws {
    for first in stride(from: range.lowerBound, to: range.upperBound, by: Self.batchCount) {
      try worker.performAndWait { context in
        for index in first..<min(first + Self.batchCount, range.upperBound) {
          let row = people.persons[1 + index % people.scale]
          let person = Person(row, in: context)
          person.name = People.name(people.nameCount + 1 + index / 32)
          person.company = try context.object(with: companyIDs[row.company - 1])
        }
        try context.save()
      }
    }
    let start = measure_wall()
    try container.root.performAndWait { try $0.save() }
    saves.withLock { $0.append(start..<measure_wall()) }
  }

  // MARK: - Reading

  /// Reads until `work`, on a thread of its own, is done.
  ///
  /// - Returns: how many reads there were.
  func read(
    beside work: @escaping @Sendable () throws -> Void, into times: inout ReadTimes
  ) throws -> Int {
    let isDone = Flag()
    let thread = Threads { _ in
      defer { isDone.raise() }
      try work()
    }
    var count = 0
    while !isDone.isRaised {
      try read(into: &times)
      count += 1
    }
    try thread.join()
    return count
  }

  /// Reads `count` times beside a thread that touches no store.
  func read(_ count: Int, besideBusyThread work: BusyWork, into times: inout ReadTimes) throws {
    let isDone = Flag()
    let thread = Threads { _ in while !isDone.isRaised { work.step() } }
    for _ in 0..<count { try read(into: &times) }
    isDone.raise()
    try thread.join()
  }

  private func read(into times: inout ReadTimes) throws {
    let name = names[times.count % names.count]
    let (start, cpu) = (measure_wall(), measure_thread_cpu())
    times.sum &+= try ui.personSum(named: name)
    times.add(start..<measure_wall(), cpu: measure_thread_cpu() - cpu)
  }

  // MARK: - Facts

  func notes(_ beside: ReadTimes, _ baseline: ReadTimes) -> [String] {
    let saves = saves.withLock { $0 }
    let lengths = saves.map { Double($0.upperBound - $0.lowerBound) / 1e6 }
    return [
      "\(beside.count) reads beside the import, as many beside the busy thread",
      "beside the import: \(beside.percentiles); beside the busy thread: \(baseline.percentiles)",
      "\(saves.count) durable saves of \(milliseconds(lengths.min())) to "
        + "\(milliseconds(lengths.max())); \(beside.countWithin(saves)) reads began and ended "
        + "while one was under way",
    ]
  }

  private func milliseconds(_ value: Double?) -> String {
    String(format: "%.3g ms", value ?? 0)
  }
}

/// How long reads took.
private struct ReadTimes {
  private var reads: [Range<UInt64>] = []
  private var cpu: UInt64 = 0
  var sum: UInt64 = 0

  var count: Int { reads.count }

  mutating func add(_ read: Range<UInt64>, cpu: UInt64) {
    reads.append(read)
    self.cpu += cpu
  }

  /// The number of reads that are wholly within one of `stretches`.
  func countWithin(_ stretches: [Range<UInt64>]) -> Int {
    reads.count { read in
      stretches.contains { $0.lowerBound <= read.lowerBound && read.upperBound <= $0.upperBound }
    }
  }

  /// The p99, and the CPU time of the reading thread.
  func figure(_ workload: String) -> Figure {
    Figure(
      workload: workload, nanoseconds: Double(sorted()[reads.count * 99 / 100]),
      cpuNanoseconds: Double(cpu) / Double(reads.count))
  }

  var percentiles: String {
    let lengths = sorted()
    return [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)].map { name, part in
      let index = min(lengths.count - 1, Int(Double(lengths.count) * part))
      return String(format: "%@ %.1f µs", name, Double(lengths[index]) / 1e3)
    }.joined(separator: ", ")
  }

  private func sorted() -> [Int] { reads.map(\.count).sorted() }
}

/// Makes a thread busy as an import does, without a store: it makes objects with texts, and puts
/// them in a table.
private final class BusyWork: Sendable {
  private final class Item {
    let name: String
    let number: Int

    init(_ number: Int) {
      name = "a name that is on the heap, number \(number)"
      self.number = number
    }
  }

  func step() {
    var table: [Int: Item] = [:]
    for number in 0..<1_000 { table[number &* 7_919] = Item(number) }
    let sorted = table.values.sorted { $0.name < $1.name }
    precondition(sorted.count == 1_000)
  }
}

/// Raised once, by any thread.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .relaxed) }
  func raise() { value.store(true, ordering: .relaxed) }
}

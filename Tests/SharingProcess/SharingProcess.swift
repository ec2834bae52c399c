// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata

/// One of several processes that save to one store and follow each other's saves.
///
/// `SharingProcess <store> <number> <saves> <processes>`: it says `ready`, waits for a line, and
/// saves as often as it is told, a line of the ledger each time. It keeps a fetched list of all
/// lines by merges alone. When the list has the lines of all processes, it says
/// `same <true|false> reloads <count> notices <count> within-100-ms <count> slowest-ms <number>`.
///
/// `SharingProcess <store> <times>` opens the store as often, looks at a line of it each time, and
/// says `opened <times>`.
@main enum SharingProcess {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    if arguments.count == 2, let store = arguments.first, let times = numbers.first {
      return try open(URL(fileURLWithPath: store), times)
    }
    guard arguments.count == 4, numbers.count == 3, let store = arguments.first else {
      print("usage: SharingProcess <store> ( <number> <saves> <processes> | <times> )")
      exit(64)
    }
    let (number, saveCount, processCount) = (numbers[0], numbers[1], numbers[2])
    let container = try PersistentContainer(
      at: URL(fileURLWithPath: store), model: try Ledger.model(), durability: .none)
    let follower = ContextQueue(parent: container.coordinator)
    let expectedCount = saveCount * processCount
    let (whole, reporting) = AsyncStream.makeStream(of: Void.self)
    let notices = try await follower.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let list = FetchedResultsController(Line.all.sorted(by: \.sequence), context: context)
      let notices = Notices(number, expectedCount) { reporting.yield() }
      list.delegate = notices
      try list.performFetch()
      context.userInfo["list"] = list
      context.userInfo["notices"] = notices
      return notices.counts
    }
    let changes = container.coordinator.remoteChanges()
    say("ready")
    _ = readLine()
    let writer = ContextQueue(parent: container.coordinator)
    for save in 0..<saveCount {
      try await writer.perform { context in
        let line = Line(context: context)
        line.sequence = save * processCount + number
        line.text = "\(number) \(now())"
        try context.save()
      }
      await Task.yield()
    }
    for await _ in whole { break }
    let isSame = try await follower.perform { context in
      let list = context.userInfo["list"] as? FetchedResultsController<Line>
      let fetched = try context.fetchIDs(Line.all.sorted(by: \.sequence))
      return list?.fetchedObjects.objectIDs == fetched && fetched.count == expectedCount
    }
    for await change in changes where change.token.storeID == container.coordinator.store.uuid {
      break
    }
    let (count, promptCount, slowest) = notices.result
    say("same \(isSame) notices \(count) within-100-ms \(promptCount) slowest-ms \(slowest)")
    withExtendedLifetime(container) {}
  }

  private static func open(_ store: URL, _ times: Int) throws {
    for _ in 0..<times {
      let container = try PersistentContainer(
        at: store, model: try Ledger.model(), durability: .none)
      let count = try container.root.performAndWait { try $0.count(Line.all) }
      guard count == 1 else { throw CocoaError(.fileReadCorruptFile) }
    }
    say("opened \(times)")
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

/// In nanoseconds, by a clock that all processes share.
func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Measures how long after the beginning of their save other processes' lines are in the list.
final class Notices: FetchedResultsControllerDelegate {
  /// The measured times, in nanoseconds. Written by the list's context, read at the end.
  // Safety: `delays` is guarded by `lock`.
  final class Counts: @unchecked Sendable {
    private var delays: [UInt64] = []
    private let lock = NSLock()

    func append(_ delay: UInt64) { lock.withLock { delays.append(delay) } }

    var result: (count: Int, promptCount: Int, slowestMilliseconds: UInt64) {
      lock.withLock {
        (
          delays.count, delays.count { $0 <= 100_000_000 },
          (delays.max() ?? 0) / 1_000_000
        )
      }
    }
  }

  let counts = Counts()
  private let number: Int
  private let expectedCount: Int
  private let reportWhole: () -> Void

  init(_ number: Int, _ expectedCount: Int, reportWhole: @escaping () -> Void) {
    (self.number, self.expectedCount, self.reportWhole) = (number, expectedCount, reportWhole)
  }

  func controller(
    _ controller: FetchedResultsController<Line>, didChangeObject id: ObjectID,
    at indexPath: FetchedIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: FetchedIndexPath?
  ) {
    guard type == .insert, let place = newIndexPath else { return }
    let parts = controller.object(at: place).text.split(separator: " ")
    guard parts.count == 2, Int(parts[0]) != number, let time = UInt64(parts[1])
    else { return }
    counts.append(now() - time)
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Line>) {
    if controller.fetchedObjects.count == expectedCount { reportWhole() }
  }
}

// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import CrashPoints
import Foundation
import Strata

/// Saves to the store at its argument, which keeps a history, until it is killed: from a worker to
/// the root in memory, from the root to the disk. It says `opening`, `saving <sequence>` before a
/// save to the disk, and `saved <sequence>` when the disk has it.
///
/// With the word `batches` after the store it fills and empties it instead: it says `deleting
/// <round>` and `deleted <round>` around a batch delete of half of it.
///
/// With the word `imports` it inserts lines by a batch, and doubles their sequences by another: it
/// says `inserting <round>`, `doubling <round>` and `done <round>`. With the word `grow` it inserts
/// the lines once, says `grown`, and ends.
///
/// With the word `backup` it fills the store and backs it up to `<store>.copy`, with the word
/// `compacting-backup` to a compacted one: it says `backing up` and `backed up`.
///
/// With the word `evolve` it opens the store with a later model: it says `opening` and `opened`.
/// With the word `migrate` it does so with another one, through a stage of a migration.
///
/// With the names of a `CrashOperation` and of a `CrashEvent` and a number it does the operation
/// once, and the event happens at the call of this number among those of the event's class. If the
/// operation ends, it says its outcome and the number of calls of each class. After an error it
/// does the operation again, without an event, and adds the outcome of that. An outcome is `done`,
/// `full` for `StoreError.diskFull`, or `failed` for another error of Strata.
///
/// With the name of a `CrashOperation`, the word `record` and a path it copies the store to
/// `<path>.store`, does the operation, and records all changes to files at the path.
@main enum Writer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 5, let operation = CrashOperation(rawValue: arguments[2]),
      let event = CrashEvent(rawValue: arguments[3]), let call = Int(arguments[4])
    {
      try run(operation, URL(fileURLWithPath: arguments[1]), event, at: call)
    }
    if arguments.count == 5, let operation = CrashOperation(rawValue: arguments[2]),
      arguments[3] == "record"
    {
      try record(operation, URL(fileURLWithPath: arguments[1]), to: arguments[4])
    }
    let words = ["batches", "imports", "grow", "backup", "compacting-backup", "evolve", "migrate"]
    guard arguments.count == 2 || words.map({ [$0] }).contains(arguments.dropFirst(2)) else {
      say("usage: CrashWriter <store> [\(words.joined(separator: " | "))]")
      say("       CrashWriter <store> <operation> <event> <call>")
      say("       CrashWriter <store> <operation> record <file>")
      exit(64)
    }
    if arguments.last == "evolve" { try evolve(URL(fileURLWithPath: arguments[1])) }
    if arguments.last == "migrate" { try migrate(URL(fileURLWithPath: arguments[1])) }
    let model = try Ledger.model()
    say("opening")
    let container = try PersistentContainer(
      at: URL(fileURLWithPath: arguments[1]), model: model)
    if arguments.last == "batches" { try deleteInBatches(container) }
    if arguments.last == "imports" { try importInBatches(container) }
    if arguments.last == "grow" {
      try insertLines(container)
      say("grown")
      exit(0)
    }
    if arguments.last?.hasSuffix("backup") == true {
      let isCompacting = arguments.last == "compacting-backup"
      try backUp(container, to: arguments[1] + ".copy", compacting: isCompacting)
    }
    try await container.coordinator.keepHistory()
    let worker = container.newBackgroundContext()
    var sequence = try await worker.perform { try $0.fetch(Progress.all).first?.latest ?? 0 }
    while true {
      sequence += 1
      let next = sequence
      try await worker.perform { context in
        try Ledger.write(next, in: context)
        try context.save()
      }
      say("saving \(sequence)")
      if next.isMultiple(of: 2) {
        try await container.root.save()
      } else {
        try await container.root.perform { try $0.save() }
      }
      say("saved \(sequence)")
    }
  }

  private static func run(
    _ operation: CrashOperation, _ store: URL, _ event: CrashEvent, at call: Int
  ) throws -> Never {
    let work = try operation.prepared(onStoreAt: store)
    crash_points_begin(event.point(at: call))
    let outcome = Result { try work() }
    crash_points_end()
    var words = [try word(for: outcome)]
    words += [CRASH_POINTS_CHANGE, CRASH_POINTS_OPEN, CRASH_POINTS_READ].map {
      String(crash_points_count($0))
    }
    if case .failure = outcome, operation.isRepeatable {
      words.append(try word(for: Result { try work() }))
    }
    say(words.joined(separator: " "))
    exit(0)
  }

  private static func record(
    _ operation: CrashOperation, _ store: URL, to path: String
  ) throws -> Never {
    let work = try operation.prepared(onStoreAt: store)
    try FileManager.default.copyItem(at: store, to: URL(fileURLWithPath: path + ".store"))
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    crash_points_record(file)
    try work()
    crash_points_acknowledge()
    crash_points_record(-1)
    say("recorded")
    exit(0)
  }

  /// - Throws: an error that is not one of Strata.
  private static func word(for outcome: Result<Void, any Error>) throws -> String {
    do {
      try outcome.get()
      return "done"
    } catch {
      let cause = (error as? BatchInterruption)?.underlyingError ?? error
      if case StoreError.diskFull = cause { return "full" }
      guard cause is StoreError else { throw error }
      let words = CommandLine.arguments.dropFirst(2).joined(separator: " ")
      FileHandle.standardError.write(Data("\(words): \(cause)\n".utf8))
      return "failed"
    }
  }

  private static func evolve(_ store: URL) throws -> Never {
    let model = try LaterLedger.model()
    say("opening")
    let container = try PersistentContainer(at: store, model: model)
    say("opened")
    // Until it is killed, with the store open.
    while true { withExtendedLifetime(container) { _ = pause() } }
  }

  private static func migrate(_ store: URL) throws -> Never {
    let (model, plan) = (try StagedLedger.model(), try StagedLedger.plan())
    say("opening")
    let container = try PersistentContainer(at: store, model: model, migratingWith: plan)
    say("opened")
    // Until it is killed, with the store open.
    while true { withExtendedLifetime(container) { _ = pause() } }
  }

  private static func backUp(
    _ container: PersistentContainer, to copy: String, compacting: Bool
  ) throws -> Never {
    try container.root.performAndWait { context in
      if try context.count(Sheet.all) > 0 { return }
      for sequence in 1...Ledger.filledCount { Ledger.fill(sequence, in: context) }
      try context.save()
    }
    try? FileManager.default.removeItem(atPath: copy)
    say("backing up")
    try container.coordinator.backUp(to: URL(fileURLWithPath: copy), compacting: compacting)
    say("backed up")
    // Until it is killed, with the store open.
    while true { withExtendedLifetime(container) { _ = pause() } }
  }

  private static func importInBatches(_ container: PersistentContainer) throws -> Never {
    var round = 0
    while true {
      round += 1
      say("inserting \(round)")
      try insertLines(container)
      say("doubling \(round)")
      try container.coordinator.execute(
        BatchUpdateRequest(Line.all).setting(\.sequence) { $0.sequence * 2 })
      say("done \(round)")
      try container.coordinator.execute(BatchDeleteRequest(Line.all))
    }
  }

  private static func insertLines(_ container: PersistentContainer) throws {
    try container.coordinator.execute(
      BatchInsertRequest(Line.self), rows: 1...Ledger.importedCount
    ) { line, number in
      line.sequence = number
      line.text = Ledger.text(number, 0)
    }
  }

  private static func deleteInBatches(_ container: PersistentContainer) throws -> Never {
    var round = 0
    while true {
      round += 1
      // By cascade that is everything.
      try container.coordinator.execute(BatchDeleteRequest(Sheet.all))
      try container.root.performAndWait { context in
        context.reset()
        for sequence in 1...Ledger.filledCount { Ledger.fill(sequence, in: context) }
        try context.save()
      }
      say("deleting \(round)")
      let half = Ledger.filledCount / 2
      try container.coordinator.execute(
        BatchDeleteRequest(Sheet.where { $0.sequence <= half }))
      say("deleted \(round)")
    }
  }

  /// Unbuffered: output before the end is read.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

extension CrashEvent {
  fileprivate func point(at call: Int) -> crash_points_event {
    let (kind, error) = kindAndError
    let callClass =
      switch calls {
      case .change: CRASH_POINTS_CHANGE
      case .open: CRASH_POINTS_OPEN
      case .read: CRASH_POINTS_READ
      }
    return crash_points_event(kind: kind, call_class: callClass, call: call, error: error)
  }

  private var kindAndError: (crash_points_kind, Int32) {
    switch self {
    case .none: (CRASH_POINTS_NONE, 0)
    case .kill: (CRASH_POINTS_KILL, 0)
    case .tear: (CRASH_POINTS_TEAR, 0)
    case .stop, .stopToRead: (CRASH_POINTS_STOP, 0)
    case .shorten: (CRASH_POINTS_SHORTEN, 0)
    case .fillOnce: (CRASH_POINTS_REFUSE_ONCE, ENOSPC)
    case .fill: (CRASH_POINTS_REFUSE, ENOSPC)
    case .limit: (CRASH_POINTS_REFUSE, EFBIG)
    case .failOnce, .failToReadOnce: (CRASH_POINTS_REFUSE_ONCE, EIO)
    case .fail, .failToRead: (CRASH_POINTS_REFUSE, EIO)
    case .crowdOnce: (CRASH_POINTS_REFUSE_ONCE, EMFILE)
    case .crowd: (CRASH_POINTS_REFUSE, EMFILE)
    }
  }
}

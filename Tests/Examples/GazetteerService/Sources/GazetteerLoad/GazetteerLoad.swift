// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs the service, sends it requests from 8 connections, and checks each answer by an account of
/// its own. Then it kills the service in the middle of requests, again and again, and looks for
/// each change that was acknowledged.
///
/// usage: GazetteerLoad SERVICE TABLES REQUESTS KILLS [SEED]
@main enum GazetteerLoad {
  static let readerCount = 6
  static let writerCount = 2
  static let connectionCount = readerCount + writerCount

  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count >= 4, let requestCount = Int(words[3]), let killCount = Int(words[4]) else {
      FileHandle.standardError.write(
        Data("usage: GazetteerLoad SERVICE TABLES REQUESTS KILLS [SEED]\n".utf8))
      exit(64)
    }
    let seed = words.count > 4 ? UInt64(words[5]) : nil
    let folder = URL.temporaryDirectory.appending(path: "gazetteer-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    var run = Run(
      program: words[1], store: folder.appending(path: "cities.strata"),
      ledger: try Ledger(folder: URL(filePath: words[2])),
      seed: seed ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    print("seed \(run.seed)")
    try run.measure(requestCount)
    for number in 0..<killCount { try run.killInMidLoad(number) }
    if !run.mistakes.isEmpty {
      for mistake in run.mistakes.prefix(20) { print("WRONG", mistake) }
      print("\(run.mistakes.count) mistakes")
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
    print("no answer was wrong, and nothing acknowledged is lost")
  }
}

/// The parts of the check, and the mistakes that they have found.
struct Run {
  let program: String
  let store: URL
  let ledger: Ledger
  let seed: UInt64
  private(set) var mistakes: [String] = []

  init(program: String, store: URL, ledger: Ledger, seed: UInt64) {
    (self.program, self.store, self.ledger, self.seed) = (program, store, ledger, seed)
  }

  private var behaviours: Behaviours { Behaviours(ledger: ledger, seed: seed) }

  private func connections(seed: UInt64) -> [@Sendable () -> Load.Step] {
    let behaviours = Behaviours(ledger: ledger, seed: seed)
    let writers = (0..<GazetteerLoad.writerCount).map { behaviours.writer($0) }
    let readers = (0..<GazetteerLoad.readerCount).map { behaviours.reader(100 + $0) }
    return writers + readers
  }

  // MARK: - Load

  /// Compares reads of single cities with answers that need no store. Then readers and writers work
  /// while a live list is followed, and the service ends in order.
  mutating func measure(_ requestCount: Int) throws {
    let service = try ServiceProcess(program, store: store)
    let numbers = 0..<GazetteerLoad.connectionCount
    let (constantReaders, cityReaders) = (
      numbers.map { behaviours.constantReader($0) }, numbers.map { behaviours.cityReader($0) }
    )
    let halfCount = requestCount / 2
    _ = Load.run(port: service.port, requestCount: halfCount, steps: constantReaders)
    let constant = Load.run(port: service.port, requestCount: halfCount, steps: constantReaders)
    report("constant cities", constant, of: halfCount)
    let cities = Load.run(port: service.port, requestCount: halfCount, steps: cityReaders)
    report("stored cities", cities, of: halfCount)
    let ratio = (cities.rate / constant.rate).formatted(.number.precision(.fractionLength(2)))
    print("stored cities have \(ratio) of the rate of constant ones")

    let list = LiveList(port: service.port, ledger)
    let mixed = Load.run(
      port: service.port, requestCount: requestCount, steps: connections(seed: seed))
    report("readers and writers", mixed, of: requestCount)

    // All requests have their answers, so each population is known exactly.
    let last = ledger.largest(of: LiveList.country, count: LiveList.cityCount)
    let state = list.wait { $0.last == last || $0.isEnded }
    if state.last != last { mistakes.append("the last event is \(state.last), not \(last)") }
    print("live list: \(state.eventCount) events, the last one has the last state")
    checkQuiet(service)

    let exitCode = service.shutDown()
    let end = list.wait { $0.isEnded }
    if exitCode != 0 { mistakes.append("SIGTERM: the exit code is \(exitCode ?? -1)") }
    if !end.isComplete { mistakes.append("SIGTERM: the live list was cut off") }
    mistakes += end.wrong
    print("SIGTERM: the service has ended in order, and the live list with it")
  }

  /// Checks the cities that were changed, when nothing is under way.
  private mutating func checkQuiet(_ service: ServiceProcess) {
    let (ids, ledger) = (ledger.changedIDs, ledger)
    for id in ids where ledger[id].map({ $0.population.count != 1 }) ?? false {
      mistakes.append("city \(id): an update is lost, or was not counted")
    }
    let step: @Sendable () -> Load.Step = {
      var rest = ids[...]
      return { connection in
        if let id = rest.popFirst() { try connection.checkCity(id, ledger) }
      }
    }
    let load = Load.run(port: service.port, requestCount: ids.count, steps: [step])
    report("changed cities", load, of: ids.count)
  }

  // MARK: - Kills

  /// Kills the service at a random request, starts it again, and looks for acknowledged changes.
  mutating func killInMidLoad(_ number: Int) throws {
    let service = try ServiceProcess(program, store: store)
    var random = SplitMix(seed: seed &+ 1_000_000 &+ UInt64(number))
    let moment = Int.random(in: 200...2_000, using: &random)
    let load = Load.run(
      port: service.port, requestCount: .max,
      steps: connections(seed: seed &+ 10_000 &* UInt64(number + 1))
    ) { if $0 == moment { service.kill() } }
    mistakes += load.wrong
    if service.endingSignal() != SIGKILL {
      mistakes.append("the service has ended before it was killed")
    }

    let again = try ServiceProcess(program, store: store)
    let connection = try Connection(port: again.port)
    let ids = ledger.changedIDs
    for id in ids {
      do { try connection.checkAfterRestart(id, ledger) } catch let error as WrongAnswer {
        mistakes.append("after the kill: \(error)")
      }
    }
    if again.shutDown() != 0 { mistakes.append("the restarted service did not end in order") }
    print("kill \(number + 1) after \(load.answered) answers: \(ids.count) changed cities checked")
  }

  private mutating func report(_ title: String, _ result: Load.Result, of requestCount: Int) {
    mistakes += result.wrong
    if result.answered != requestCount {
      mistakes.append("\(title): \(requestCount - result.answered) requests have no answer")
    }
    let rate = result.rate.formatted(.number.precision(.fractionLength(0)).grouping(.never))
    let percentiles = [50, 99, 100].map { percent in
      let milliseconds = result.percentile(percent) / .milliseconds(1)
      return milliseconds.formatted(.number.precision(.fractionLength(2)).grouping(.never))
    }
    print(
      "\(title): \(result.answered) answers, \(result.wrong.count) wrong,",
      "\(result.refused) refused, \(rate) a second;",
      "median \(percentiles[0]) ms, p99 \(percentiles[1]) ms, longest \(percentiles[2]) ms")
  }
}

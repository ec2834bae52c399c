// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Follows the service's list of a country's largest cities, on a connection and a thread of its
/// own, and compares each event with the ledger.
final class LiveList: Sendable {
  static let country = "IR"
  static let cityCount = 10

  /// The events so far.
  struct State {
    var eventCount = 0
    var wrong: [String] = []
    /// The ID and the population of each city in the last event.
    var last: [[Int]] = []
    var isEnded = false
    /// Whether the answer's end came, and not the end of the connection alone.
    var isComplete = false
  }

  private let changed = NSCondition()
  private let guarded = Mutex(State())
  private let ledger: Ledger

  init(port: Int, _ ledger: Ledger) {
    self.ledger = ledger
    Thread { [self] in
      do { try follow(try Connection(port: port)) } catch {}
      change { $0.isEnded = true }
    }.start()
  }

  /// Waits until a state fulfils `condition`, for 30 seconds at most.
  func wait(until condition: (State) -> Bool) -> State {
    let deadline = Date(timeIntervalSinceNow: 30)
    changed.lock()
    defer { changed.unlock() }
    while true {
      let state = guarded.withLock { $0 }
      if condition(state) || !changed.wait(until: deadline) { return guarded.withLock { $0 } }
    }
  }

  private func follow(_ connection: Connection) throws {
    guard try connection.open("/countries/\(Self.country)/largest") == 200 else { return }
    while let chunk = try connection.readChunk() {
      let text = String(decoding: chunk, as: UTF8.self)
      guard text.hasPrefix("data: "), text.hasSuffix("\n\n"),
        let cities = try? JSONDecoder().decode(
          [ShownLargeCity].self, from: Data(text.dropFirst(6).utf8))
      else {
        change { $0.wrong.append("event \(text)") }
        continue
      }
      check(cities)
    }
    change { $0.isComplete = true }
  }

  /// The cities are in order, no city has shrunk, and none has more than requests have added.
  private func check(_ cities: [ShownLargeCity]) {
    let list = cities.map { [$0.geonameID, $0.population] }
    let isSorted = zip(list, list.dropFirst()).allSatisfy { ($1[1], $0[0]) < ($0[1], $1[0]) }
    let isPossible = list.allSatisfy { city in
      ledger[city[0]].map { city[1] <= $0.population.upperBound } ?? false
    }
    change { state in
      let before = Dictionary(uniqueKeysWithValues: state.last.map { ($0[0], $0[1]) })
      let hasGrown = list.allSatisfy { $0[1] >= before[$0[0]] ?? 0 }
      if !isSorted || !isPossible || !hasGrown || list.count != Self.cityCount {
        state.wrong.append("event \(list) after \(state.last)")
      }
      state.eventCount += 1
      state.last = list
    }
  }

  private func change(_ body: (inout State) -> Void) {
    changed.lock()
    guarded.withLock { body(&$0) }
    changed.broadcast()
    changed.unlock()
  }
}

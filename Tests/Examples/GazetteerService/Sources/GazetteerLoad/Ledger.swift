// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The client's own account of the service's cities, from the tables and from the answers to its
/// requests. It decides whether an answer is right.
final class Ledger: Sendable {
  private let accounts: Mutex<[Int: Account]>
  /// The IDs of the tables' cities in ascending order.
  let ids: [Int]
  let idsByCountry: [String: [Int]]

  /// Reads the cities of the tables.
  init(folder: URL) throws {
    let text = try String(contentsOf: folder.appending(path: "cities.tsv"), encoding: .utf8)
    var accounts: [Int: Account] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 8, let id = Int(fields[0]), let population = Int(fields[5]) else {
        continue
      }
      accounts[id] = Account(
        name: fields[1], country: fields[4], population: population, presence: .present)
    }
    ids = accounts.keys.sorted()
    idsByCountry = Dictionary(grouping: ids) { accounts[$0]?.country ?? "" }
    self.accounts = Mutex(accounts)
  }

  subscript(id: Int) -> Account? { accounts.withLock { $0[id] } }

  func insert(_ account: Account, as id: Int) { accounts.withLock { $0[id] = account } }

  func change(_ id: Int, _ body: (inout Account) -> Void) {
    accounts.withLock { accounts in
      guard var account = accounts[id] else { return }
      body(&account)
      accounts[id] = account
    }
  }

  /// The cities that requests have changed.
  var changedIDs: [Int] { accounts.withLock { $0.filter(\.value.isChanged).keys.sorted() } }

  /// The IDs of the largest cities of a country, and their populations, when nothing is under way.
  func largest(of country: String, count: Int) -> [[Int]] {
    accounts.withLock { accounts in
      let all = (idsByCountry[country] ?? []).map { id in
        [id, accounts[id]?.population.lowerBound ?? 0]
      }
      return Array(all.sorted { ($1[1], $0[0]) < ($0[1], $1[0]) }.prefix(count))
    }
  }
}

/// The client's knowledge of one city.
///
/// While several connections add people, the population is known within bounds:
///
/// - It contains at least the people of all acknowledged requests, and is at least as large as in
///   any earlier answer: a request that begins after an answer must not see an older state.
/// - It contains at most the people of all requests that were sent before the answer came.
///
/// A request that a kill has left without an answer may have been executed or not. So the bounds
/// are equal when nothing is under way, until a kill.
struct Account {
  enum Presence { case absent, present, inDoubt }

  let name: String
  let country: String
  var presence: Presence
  private(set) var isChanged = false
  private var shown: Int
  private var sent: Int
  private var unacknowledged = 0

  init(name: String, country: String, population: Int, presence: Presence) {
    (self.name, self.country, self.presence) = (name, country, presence)
    (shown, sent) = (population, population)
  }

  var population: ClosedRange<Int> { max(shown, sent - unacknowledged)...sent }

  /// Before a request that adds `people` is sent.
  mutating func willAdd(_ people: Int) {
    isChanged = true
    (sent, unacknowledged) = (sent + people, unacknowledged + people)
  }

  /// After the answer to such a request.
  mutating func didAdd(_ people: Int) { unacknowledged -= people }

  /// After the answer that such a request was refused.
  mutating func didNotAdd(_ people: Int) {
    (sent, unacknowledged) = (sent - people, unacknowledged - people)
  }

  /// After an answer that shows a population within the bounds.
  mutating func saw(_ population: Int) { shown = max(shown, population) }

  /// A change of the presence that an answer acknowledges, or that a lost request may have made.
  mutating func become(_ presence: Presence) { (self.presence, isChanged) = (presence, true) }

  /// After a restart: the state that the service has is the one that counts from now on.
  mutating func settle(at population: Int?) {
    presence = population == nil ? .absent : .present
    guard let population else { return }
    (shown, sent, unacknowledged) = (population, population, 0)
  }
}

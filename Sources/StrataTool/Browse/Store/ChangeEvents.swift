// SPDX-License-Identifier: Apache-2.0
import Strata

/// The changes of the store as a stream of events (WHATWG HTML, server-sent events), for the script
/// of an open page.
///
/// | event | data |
/// | --- | --- |
/// | `change` | the new revision: the store has changed |
/// | `transaction` | a row of the history page; its ID is the transaction's number |
/// | `restart` | none: transactions are missing, so the page is to be loaded again |
///
/// The thread of the stream sleeps until the store changes. Each quarter of a minute it writes a
/// comment, so that a page that is gone is noticed.
struct ChangeEvents {
  /// The pages that are followed at the same time, at most.
  static let countMax = 32
  /// A page that has missed more transactions is loaded again.
  private static let transactionCountMax = 100

  let store: BrowsedStore
  /// The revision of the store that the page shows.
  let revision: Int
  /// The number of the last transaction that the page shows; nil if it shows none.
  let transaction: UInt64?

  /// The stream that a request asks for.
  init(_ request: HTTPRequest, _ store: BrowsedStore) {
    self.store = store
    revision = request.query["revision"].flatMap { Int($0) } ?? store.watch.revision
    // A browser that has lost the connection names the last event that it has received.
    transaction = (request.header("last-event-id") ?? request.query["after"]).flatMap { UInt64($0) }
  }

  /// Asks the page to come again in a minute: too many pages are followed.
  static func postpone(_ write: HTTPResponse.Writer) throws { try write("retry: 60000\n\n") }

  /// Writes events until the page or the server is gone.
  ///
  /// - Throws: the errors of `write`.
  func write(_ write: HTTPResponse.Writer) throws {
    var (revision, transaction) = (revision, transaction)
    try write("retry: 2000\n: the store's changes\n\n")
    while true {
      switch store.watch.wait(after: revision, for: .seconds(15)) {
      case .over: return
      case .unchanged: try write(":\n\n")
      case .changed:
        revision = store.watch.revision
        try write("event: change\ndata: \(revision)\n\n")
        if let last = transaction {
          transaction = try writeTransactions(after: last, write)
        }
      }
    }
  }

  /// - Returns: the number of the last transaction that was written.
  private func writeTransactions(
    after number: UInt64, _ write: HTTPResponse.Writer
  ) throws -> UInt64 {
    let coordinator = store.coordinator
    let found: [HistoryTransaction]
    do {
      found = try coordinator.fetchHistory(
        HistoryRequest(
          after: coordinator.store.historyToken(of: number),
          limit: Self.transactionCountMax + 1))
    } catch is StoreError {
      // The history was pruned or stopped: the page says so when it is loaded.
      try write("event: restart\ndata:\n\n")
      return number
    }
    guard found.count <= Self.transactionCountMax else {
      try write("event: restart\ndata:\n\n")
      return number
    }
    for transaction in found {
      try write(
        "event: transaction\nid: \(transaction.token.generation)\n"
          + "data: \(HistoryPage.row(transaction).text)\n\n")
    }
    return found.last?.token.generation ?? number
  }
}

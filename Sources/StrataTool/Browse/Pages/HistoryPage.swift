// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataDump

/// The transactions of the store's history, newest first. The script adds those that come.
struct HistoryPage {
  /// The number of transactions of a page.
  static let size: UInt64 = 100

  let store: BrowsedStore
  /// The transactions before this number; nil for the newest.
  let before: UInt64?

  func page() throws -> Page {
    let coordinator = store.coordinator
    guard let status = try coordinator.historyStatus() else {
      return page(
        next: nil,
        """
        <p class="hint">The store keeps no history. A program turns it on with \
        <code>keepHistory()</code>.</p>
        """)
    }
    let (oldest, newest) = (status.oldestToken.generation, status.newestToken.generation)
    let end = min(before ?? .max, newest + 1)
    let start = max(oldest, end > Self.size ? end - 1 - Self.size : 0)
    var transactions: [HistoryTransaction] = []
    if start < end {
      try coordinator.forEachHistoryTransaction(
        of: HistoryRequest(
          after: coordinator.store.historyToken(of: start), limit: Int(Self.size))
      ) { if $0.token.generation < end { transactions.append($0) } }
    }
    let next = start > oldest ? PageAddress.history.with("before", "\(start + 1)") : nil
    let rows = transactions.reversed().map(Self.row).joined(separator: "\n")
    let follows: HTML =
      before == nil ? " data-after=\"\(newest)\"" : ""
    return page(
      next: next,
      """
      \(before == nil ? Self.live : "")
      <div class="scroll" tabindex="0" role="region" aria-label="Transactions">
      <table>
      <thead><tr><th scope="col" class="number">number</th><th scope="col">date</th>\
      <th scope="col" class="number">inserted</th><th scope="col" class="number">updated</th>\
      <th scope="col" class="number">deleted</th><th scope="col">author</th>\
      <th scope="col">context</th></tr></thead>
      <tbody id="transactions"\(follows)>
      \(rows)
      </tbody>
      </table>
      </div>
      \(next.map { older($0) } ?? "")
      """)
  }

  private static let live: HTML =
    "<p class=\"count\" id=\"live\" role=\"status\">Reload for later transactions.</p>"

  private func older(_ address: PageAddress) -> HTML {
    """
    <nav class="pager" aria-label="Pages"><a rel="next" href="\(address)">Older →</a></nav>
    """
  }

  private func page(next: PageAddress?, _ content: HTML) -> Page {
    Page(
      title: "History", isHistory: true, next: next,
      content: """
        <h1>History</h1>
        \(content)
        """)
  }

  /// A transaction as one line of HTML.
  static func row(_ transaction: HistoryTransaction) -> HTML {
    let counts = ChangeCounts(transaction)
    let number = transaction.token.generation
    return """
      <tr><th scope="row" class="number"><a href="\(PageAddress.transaction(number))">\(number)</a>\
      </th><td>\(PropertyValue.date(transaction.date).shownText)</td>\
      <td class="number">\(counts.inserted.grouped)</td>\
      <td class="number">\(counts.updated.grouped)</td>\
      <td class="number">\(counts.deleted.grouped)</td>\
      <td>\(ShownValue.cell(transaction.author.map(PropertyValue.string) ?? .null))</td>\
      <td>\(ShownValue.cell(transaction.contextName.map(PropertyValue.string) ?? .null))</td></tr>
      """
  }
}

/// The changes of one transaction, in pages.
struct TransactionPage {
  private static let size = 200

  let store: BrowsedStore
  let number: UInt64
  let query: FormFields

  /// - Throws: `HTTPRefusal` if the history does not have the transaction; `StoreError`.
  func page() throws -> Page {
    let coordinator = store.coordinator
    let found =
      number == 0
      ? nil
      : try coordinator.fetchHistory(
        HistoryRequest(after: coordinator.store.historyToken(of: number - 1), limit: 1)
      ).first
    guard let transaction = found, transaction.token.generation == number else {
      throw HTTPRefusal(.notFound, "The history has no transaction of this number.")
    }
    let page = ListRequest.window(query).page
    let changes = Array(
      transaction.changes.lazy.dropFirst((page - 1) * Self.size).prefix(Self.size + 1))
    let pager = Pager(
      address: .transaction(number), page: page, hasNext: changes.count > Self.size)
    return Page(
      title: "Transaction \(number)", isHistory: true, previous: pager.previous, next: pager.next,
      content: """
        <h1><a href="\(PageAddress.history)">History</a> \(number)</h1>
        <div class="scroll" tabindex="0" role="region" aria-label="Transaction">
        <table><tbody>
        \(HistoryPage.row(transaction))
        </tbody></table>
        </div>
        <h2>Changes</h2>
        <div class="scroll" tabindex="0" role="region" aria-label="Changes">
        <table>
        <thead><tr><th scope="col">object</th><th scope="col">change</th>\
        <th scope="col">properties</th></tr></thead>
        <tbody>
        \(changes.prefix(Self.size).map(row).joined(separator: "\n"))
        </tbody>
        </table>
        </div>
        \(pager.html)
        """)
  }

  private func row(_ change: HistoryChange) -> HTML {
    """
    <tr><th scope="row">\(ShownValue.link(to: change.objectID, label: nil))</th>\
    <td>\(change.kind.word)</td><td>\(change.updatedProperties.joined(separator: ", "))</td></tr>
    """
  }
}

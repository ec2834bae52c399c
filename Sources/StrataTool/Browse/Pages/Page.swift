// SPDX-License-Identifier: Apache-2.0
import Strata

/// A page in the frame that all pages have: the name of the store, the list of entities, the place
/// where a change of the store is announced.
///
/// Everything is in the page as it comes from the server; the script only follows changes and adds
/// keys.
struct Page {
  let title: String
  var status = HTTPStatus.ok
  /// The entity that is marked in the list; nil for none.
  var entity: String?
  /// Whether the page is the history, which shows changes itself.
  var isHistory = false
  /// The addresses of the neighbours of a page of a list.
  var previous: PageAddress?
  var next: PageAddress?
  let content: HTML

  /// - Parameter revision: the revision of the store before the page's content was read.
  func html(of store: BrowsedStore, revision: Int) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title) – \(store.name)</title>
    <link rel="icon" href="data:image/svg+xml,\(PercentCoding.encode(Self.icon))">
    <link rel="stylesheet" href="/browse.css">
    \(link("prev", previous))\(link("next", next))<script src="/browse.js" defer></script>
    </head>
    <body data-revision="\(revision)">
    <a class="skip" href="#main">Skip to the content</a>
    <header>
    <a class="store" href="/">\(store.name)</a>
    <nav aria-label="Store"><a href="\(PageAddress.history)"\(isHistory ? Self.current : "")>\
    History</a></nav>
    <span class="mode\(store.allowsChanges ? " changes" : "")">\
    \(store.allowsChanges ? "changes allowed" : "read-only")</span>
    </header>
    <div class="frame">
    <nav class="entities" aria-label="Entities">
    <h2>Entities</h2>
    <ul>
    \(entities(of: store))
    </ul>
    </nav>
    <main id="main" tabindex="-1">
    <p id="changed" class="notice" role="status" hidden>The store has changed. \
    <a href="">Show its present state</a></p>
    \(content)
    </main>
    </div>
    </body>
    </html>

    """
  }

  private static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2f6f8f" \
    d="M1 3h14v3H1z"/><path fill="#6fa8a0" d="M1 7h14v2H1z"/><path fill="#b9853f" \
    d="M1 10h14v4H1z"/></svg>
    """

  private static let current: HTML = " aria-current=\"page\""

  private func link(_ relation: String, _ address: PageAddress?) -> HTML {
    address.map { "<link rel=\"\(relation)\" href=\"\($0)\">\n" } ?? ""
  }

  /// The entities, each below the one that it inherits from.
  private func entities(of store: BrowsedStore) -> HTML {
    guard let stored = try? store.coordinator.metadata().entities else { return "" }
    let below = Dictionary(grouping: stored) { $0.superentity ?? "" }
    func items(_ name: String, _ level: Int) -> [HTML] {
      (below[name] ?? []).flatMap { item -> [HTML] in
        let mark: HTML = item.name == entity ? Self.current : ""
        return [
          """
          <li class="level\(min(level, 4))"><a href="\(PageAddress.entity(item.name))"\(mark)>\
          <span>\(item.name)</span> <data value="\(item.objectCount)">\
          \(item.objectCount.grouped)</data></a></li>
          """
        ] + items(item.name, level + 1)
      }
    }
    return items("", 0).joined(separator: "\n")
  }
}

extension Page {
  /// A page with the mistake in a request.
  static func error(_ status: HTTPStatus, _ text: String) -> Page {
    Page(
      title: status.phrase, status: status,
      content: """
        <h1>\(status.phrase)</h1>
        <p class="error" role="alert">\(text)</p>
        """)
  }
}

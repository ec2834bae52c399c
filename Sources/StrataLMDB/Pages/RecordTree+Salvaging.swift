// SPDX-License-Identifier: Apache-2.0

// Reading a tree around its damaged pages, from the root down: each page that can be reached is
// read, whatever the pages beside it are. A gap between numbers, however large, costs nothing.

extension RecordTree {
  /// The numbers of the entries in all pages that can be read, ascending and each once; nil if the
  /// root cannot be found, or if no pages are read.
  ///
  /// - Complexity: O(n) for n entries.
  package func readableNumbers() -> [UInt64]? {
    guard let root = try? root(for: .max) else { return nil }
    var search = NumberSearch(pages: root.pages)
    if root.depth > 0 { search.visit(page: root.number, level: root.depth) }
    return Set(search.numbers).sorted()
  }
}

/// A search for the numbers of entries.
private struct NumberSearch {
  let pages: MappedPages
  var numbers: [UInt64] = []
  /// The pages that were visited. A damaged branch may lead to one page many times.
  private var visited: Set<UInt64> = []

  init(pages: MappedPages) { self.pages = pages }

  /// - Parameter level: 1 for a leaf.
  mutating func visit(page: UInt64, level: Int) {
    guard visited.insert(page).inserted,
      let nodes = try? pages.nodes(ofPage: page, level == 1 ? .leaf : .branch)
    else { return }
    for index in 0..<nodes.count {
      if level > 1 {
        if let child = try? nodes.child(at: index) { visit(page: child, level: level - 1) }
      } else if let node = try? nodes.node(at: index), let mark = try? nodes.mark(of: node) {
        numbers.append(PageNodes.number(of: mark))
      }
    }
  }
}

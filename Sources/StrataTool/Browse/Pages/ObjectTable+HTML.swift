// SPDX-License-Identifier: Apache-2.0
import Strata

extension ObjectTable {
  /// The table of rows.
  ///
  /// - Parameter sorting: the list whose order the heads of columns change; nil for rows that have
  ///   an order of their own.
  func html(_ rows: [Row], sorting list: ListRequest?) -> HTML {
    """
    <div class="scroll" tabindex="0" role="region" aria-label="Objects">
    <table>
    <thead><tr><th scope="col">id</th>\(columns.map { head($0, list) }.joined())</tr></thead>
    <tbody>
    \(rows.map(html).joined(separator: "\n"))
    </tbody>
    </table>
    </div>
    \(hiddenCount == 0 ? "" : more)
    """
  }

  private var more: HTML {
    "<p class=\"hint\">\(hiddenCount) more properties are on the page of each object.</p>"
  }

  private func head(_ column: Column, _ list: ListRequest?) -> HTML {
    let kind: HTML = column.isNumeric ? " class=\"number\"" : ""
    guard let list, column.isSortable, column.property.attribute != nil else {
      return "<th scope=\"col\"\(kind)>\(column.name)</th>"
    }
    let order: HTML =
      switch list.sort.first {
      case column.name: " aria-sort=\"ascending\""
      case "-" + column.name: " aria-sort=\"descending\""
      default: ""
      }
    return """
      <th scope="col"\(kind)\(order)><a href="\(list.address(sortedBy: column.name))">\
      \(column.name)</a></th>
      """
  }

  private func html(_ row: Row) -> HTML {
    let cells = zip(columns, zip(row.values, row.labels)).map { column, cell -> HTML in
      let kind: HTML = column.isNumeric ? " class=\"number\"" : ""
      if case .object(let target) = cell.0 {
        return "<td\(kind)>\(ShownValue.link(to: target, label: cell.1))</td>"
      }
      return "<td\(kind)>\(ShownValue.cell(cell.0))</td>"
    }
    return """
      <tr><th scope="row"><a href="\(PageAddress.object(row.id))">\(row.id.shownText)</a></th>\
      \(cells.joined())</tr>
      """
  }
}

/// The links to the pages before and after the shown one.
struct Pager {
  let address: PageAddress
  let page: Int
  let hasNext: Bool

  var previous: PageAddress? {
    page > 1 ? address.with("page", page == 2 ? nil : "\(page - 1)") : nil
  }
  var next: PageAddress? { hasNext ? address.with("page", "\(page + 1)") : nil }

  var html: HTML {
    guard previous != nil || next != nil else { return "" }
    return """
      <nav class="pager" aria-label="Pages">\(link("← Previous", "prev", previous))\
      <span>Page \(page)</span>\(link("Next →", "next", next))</nav>
      """
  }

  private func link(_ text: String, _ relation: String, _ address: PageAddress?) -> HTML {
    guard let address else { return "<span class=\"absent\">\(text)</span>" }
    return "<a rel=\"\(relation)\" href=\"\(address)\">\(text)</a>"
  }
}

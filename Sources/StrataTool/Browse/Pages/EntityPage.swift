// SPDX-License-Identifier: Apache-2.0
import Strata

/// The objects of an entity: filtered, sorted, in pages, with the plan of the fetch if the request
/// asks for it.
struct EntityPage {
  let store: BrowsedStore
  let list: ListRequest

  func page() throws -> Page {
    do {
      return try found()
    } catch let error as PredicateFormatError {
      return failed(error.description, at: error.position)
    } catch let error as QueryError {
      return failed(error.description, at: nil)
    }
  }

  private func found() throws -> Page {
    let context = store.makeContext()
    let table = ObjectTable(of: list.entity)
    let request = try list.request()
    var rows = try table.rows(of: request, in: context)
    let pager = Pager(
      address: list.address, page: list.page, hasNext: rows.count > list.size)
    if rows.count > list.size { rows.removeLast() }
    let count = try context.count(list.countingRequest())
    let plan: HTML =
      list.showsPlan
      ? """
      <h2>Plan</h2>
      <pre class="plan">\(try context.explain(request).description)</pre>
      """ : ""
    let objects: HTML =
      rows.isEmpty
      ? "<p class=\"hint\">There is nothing to show.</p>" : table.html(rows, sorting: list)
    return page(
      pager,
      """
      <p class="count">\(described(count))</p>
      \(plan)
      \(objects)
      \(pager.html)
      """)
  }

  private func described(_ count: Int) -> String {
    if list.condition.isEmpty { return count == 1 ? "1 object" : "\(count.grouped) objects" }
    if count > ListRequest.countMax { return "more than \(ListRequest.countMax.grouped) match" }
    return count == 1 ? "1 matches" : "\(count.grouped) match"
  }

  /// - Parameter position: the number of characters of the condition before the mistake.
  private func failed(_ text: String, at position: Int?) -> Page {
    var place: HTML = ""
    if let position, position <= list.condition.count {
      let rest = list.condition.dropFirst(position)
      place = """
        <pre class="condition">\(String(list.condition.prefix(position)))\
        <mark>\(rest.isEmpty ? " " : String(rest.prefix(1)))</mark>\(String(rest.dropFirst()))</pre>
        """
    }
    return page(
      nil, "<div class=\"error\" role=\"alert\"><p>\(text)</p>\(place)</div>", .unprocessable)
  }

  private func page(_ pager: Pager?, _ content: HTML, _ status: HTTPStatus = .ok) -> Page {
    Page(
      title: list.entity.name, status: status, entity: list.entity.name,
      previous: pager?.previous, next: pager?.next,
      content: """
        <h1>\(list.entity.name)</h1>
        \(form)
        \(content)
        """)
  }

  private var form: HTML {
    let sort = list.sort.joined(separator: ",")
    let order: HTML =
      sort.isEmpty ? "" : "<input type=\"hidden\" name=\"sort\" value=\"\(sort)\">\n"
    let size: HTML =
      list.size == ListRequest.sizeDefault
      ? "" : "<input type=\"hidden\" name=\"size\" value=\"\(list.size)\">\n"
    return """
      <form class="filter" method="get" action="\(PageAddress.entity(list.entity.name))" \
      role="search">
      <label for="where">Where</label>
      <input id="where" name="where" type="search" value="\(list.condition)" \
      placeholder="\(example)" autocomplete="off" autocapitalize="off" spellcheck="false">
      \(order)\(size)<label class="check"><input type="checkbox" name="plan" value="1"\
      \(list.showsPlan ? " checked" : "")> Plan</label>
      <button type="submit">Show</button>
      </form>
      """
  }

  /// A condition that the entity can answer.
  private var example: String {
    let attributes = list.entity.properties.compactMap(\.attribute).filter(\.isFetched)
    if let text = list.entity.labelProperty { return "\(text) BEGINSWITH[cd] 'a'" }
    if let number = attributes.first(where: \.type.isNumeric) { return "\(number.name) > 100" }
    return attributes.first.map { "\($0.name) != nil" } ?? "TRUEPREDICATE"
  }
}

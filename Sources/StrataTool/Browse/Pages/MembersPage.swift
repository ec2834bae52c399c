// SPDX-License-Identifier: Apache-2.0
import Strata

/// The members of a to-many relationship, in their order, in pages.
struct MembersPage {
  let store: BrowsedStore
  let object: ManagedObject
  let relationship: RelationshipDescription
  let query: FormFields
  let context: ManagedObjectContext

  func page() throws -> Page {
    let (number, size) = ListRequest.window(query)
    let ids = object.objectIDs(forRelationshipNamed: relationship.name)
    let start = min((number - 1) * size, ids.count)
    let shown = ids[start..<min(start + size, ids.count)]
    let table = ObjectTable(of: relationship.destination())
    let pager = Pager(
      address: PageAddress.members(relationship.name, of: object.objectID)
        .with("size", size == ListRequest.sizeDefault ? nil : "\(size)"),
      page: number, hasNext: shown.endIndex < ids.count)
    let owner = object.objectID
    return Page(
      title: "\(owner.shownText) \(relationship.name)", entity: owner.entityName,
      previous: pager.previous, next: pager.next,
      content: """
        <h1><a href="\(PageAddress.object(owner))">\(owner.shownText)</a> \(relationship.name)</h1>
        <p class="count">\(ids.count == 1 ? "1 member" : "\(ids.count.grouped) members")</p>
        \(table.html(try table.rows(of: shown, in: context), sorting: nil))
        \(pager.html)
        """)
  }
}

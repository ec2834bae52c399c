// SPDX-License-Identifier: Apache-2.0
import Strata

/// An object: its attributes, its relationships, and if changes are allowed, its form.
struct ObjectPage {
  /// The members of a to-many relationship that are shown, at most.
  private static let memberCountShown = 12
  /// A relationship with more members has a link and no members: its members are not sorted by ID.
  private static let memberCountMax = 10_000

  let store: BrowsedStore
  let access: BrowserAccess
  let object: ManagedObject
  let entity: EntityDescription
  let context: ManagedObjectContext

  /// The object as it is.
  func page() throws -> Page {
    page(
      title: try label(),
      """
      <h2>Attributes</h2>
      <dl class="values">
      \(try attributes.map { field($0.name, kind(of: $0), try value(of: $0)) }.joined())
      </dl>
      \(try relationships())
      \(store.allowsChanges ? changes : "")
      """)
  }

  /// The form of the object.
  ///
  /// - Parameters:
  ///   - edit: a form that was sent and not saved.
  ///   - problems: the problems of its fields, by attribute.
  ///   - problem: the reason why nothing was saved.
  func form(
    _ edit: AttributeEdit? = nil, problems: [String: String] = [:], problem: String? = nil,
    _ status: HTTPStatus = .ok
  ) throws -> Page {
    let form = AttributeForm(object: object, edit: edit, problems: problems)
    let alert: HTML = problem.map { "<p class=\"error\" role=\"alert\">\($0)</p>" } ?? ""
    return page(
      title: try label(),
      """
      <h2>Edit</h2>
      \(alert)
      <p class="hint">A store does not keep the rules, the derived attributes and the delete rules \
      of the program's classes: they are not applied here.</p>
      <form class="edit" method="post" action="\(PageAddress.object(object.objectID))">
      <input type="hidden" name="form" value="\(access.formToken)">
      \(try attributes.map(form.field).joined(separator: "\n"))
      <p class="actions"><button type="submit">Save</button>
      <a href="\(PageAddress.object(object.objectID))">Cancel</a></p>
      </form>
      """, status)
  }

  private func page(
    title: String?, _ content: HTML, _ status: HTTPStatus = .ok
  ) -> Page {
    let id = object.objectID.shownText
    let shown: HTML =
      title.map { "<span class=\"label\">\(ShownValue.cell(.string($0)))</span>" } ?? ""
    return Page(
      title: id, status: status, entity: entity.name,
      content: """
        <h1>\(id) \(shown)</h1>
        \(content)
        """)
  }

  // MARK: - Attributes

  private var attributes: [AttributeDescription] {
    entity.properties.compactMap(\.attribute).filter { !$0.isTransient }
  }

  private func label() throws -> String? {
    try entity.labelProperty.flatMap { try object.value(for: $0, as: String.self) }
  }

  private func kind(of attribute: AttributeDescription) -> String {
    attribute.type.shownName + (attribute.isOptional ? "?" : "")
  }

  private func value(of attribute: AttributeDescription) throws -> HTML {
    ShownValue.whole(
      try object.value(for: attribute.name),
      file: PageAddress.value(attribute.name, of: object.objectID))
  }

  private func field(_ name: String, _ kind: String, _ value: HTML) -> HTML {
    "<div><dt>\(name) <small>\(kind)</small></dt><dd>\(value)</dd></div>\n"
  }

  // MARK: - Relationships

  private func relationships() throws -> HTML {
    let relationships = entity.properties.compactMap(\.relationship)
    guard !relationships.isEmpty else { return "" }
    let fields = try relationships.map { relationship in
      field(
        relationship.name, relationship.destination().name,
        relationship.isToMany ? try members(of: relationship) : try target(of: relationship))
    }
    return """
      <h2>Relationships</h2>
      <dl class="values">
      \(fields.joined())</dl>
      """
  }

  private func target(of relationship: RelationshipDescription) throws -> HTML {
    guard case .object(let id) = try object.value(for: relationship.name) else {
      return ShownValue.cell(.null)
    }
    return try links(to: [id], relationship)
  }

  private func members(of relationship: RelationshipDescription) throws -> HTML {
    let name = relationship.name
    let count = try object.members(for: name).count
    guard count > 0 else { return ShownValue.cell(.null) }
    let address = PageAddress.members(name, of: object.objectID)
    let isCut = count > Self.memberCountShown
    let all: HTML = """
      <a class="all" href="\(address)">\(isCut ? "\(count.grouped) in all" : "as a table")</a>
      """
    guard count <= Self.memberCountMax else { return all }
    let ids = object.objectIDs(forRelationshipNamed: name).prefix(Self.memberCountShown)
    return "\(try links(to: ids, relationship)) \(all)"
  }

  /// Links to targets, with their labels. A target that does not exist is its ID.
  private func links(
    to ids: ArraySlice<ObjectID>, _ relationship: RelationshipDescription
  ) throws -> HTML {
    var labels: [ObjectID: String] = [:]
    let destination = relationship.destination()
    if let label = destination.labelProperty {
      let request = FetchRequest<ManagedObject>(
        entityName: destination.name, try FetchPredicate(format: "SELF IN %@", Array(ids)))
      try context.forEachRow(
        request.select(FetchColumn("SELF").named("@"), FetchColumn(label).named("."))
      ) { row in
        if case .object(let id)? = row["@"], case .string(let text)? = row["."] {
          labels[id] = text
        }
      }
    }
    let links = ids.map { id -> HTML in
      "<li>\(ShownValue.link(to: id, label: labels[id]))</li>"
    }
    return "<ul class=\"links\">\(links.joined())</ul>"
  }

  // MARK: - Changes

  private var changes: HTML {
    let address = PageAddress.object(object.objectID)
    return """
      <div class="actions">
      <a class="button" href="\(address.with("edit", "1"))">Edit</a>
      <details class="delete"><summary>Delete…</summary>
      <form method="post" action="\(address.below("delete"))">
      <input type="hidden" name="form" value="\(access.formToken)">
      <p>Objects that are related to it lose the link: the delete rules of the program's classes \
      are not in the store.</p>
      <button type="submit" class="danger">Delete \(object.objectID.shownText)</button>
      </form>
      </details>
      </div>
      """
  }
}

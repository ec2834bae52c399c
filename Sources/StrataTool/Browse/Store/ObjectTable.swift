// SPDX-License-Identifier: Apache-2.0
import Strata

/// The columns of a table of objects, and how rows are fetched for them: a column for each
/// attribute, the one that names the object first, and for each to-one relationship. A
/// relationship's cell has the target, with its label.
struct ObjectTable {
  /// An entity may have hundreds of properties; the others are on the objects' own pages.
  static let columnCountMax = 40

  struct Column {
    let property: PropertyDescription
    /// The attribute of the target that names it; nil if there is no such attribute or no target.
    let label: String?

    var name: String { property.name }
    var isNumeric: Bool { property.attribute?.type.isNumeric ?? false }
    /// Whether the store can sort by it.
    var isSortable: Bool {
      switch property.attribute?.type {
      case nil, .codable, .data: false
      default: true
      }
    }
  }

  /// A fetched object.
  struct Row {
    let id: ObjectID
    /// The values of the columns.
    let values: [PropertyValue]
    /// The labels of the columns' targets; nil where there is no label.
    let labels: [String?]
  }

  let entity: EntityDescription
  let columns: [Column]
  /// The number of properties that would be columns, too.
  let hiddenCount: Int

  init(of entity: EntityDescription) {
    self.entity = entity
    let columns = entity.properties.compactMap { property -> Column? in
      switch property {
      case .attribute(let attribute):
        attribute.isFetched ? Column(property: property, label: nil) : nil
      case .relationship(let relationship):
        relationship.isToMany
          ? nil : Column(property: property, label: relationship.destination().labelProperty)
      }
    }
    let label = entity.labelProperty
    let sorted = columns.filter { $0.name == label } + columns.filter { $0.name != label }
    self.columns = Array(sorted.prefix(Self.columnCountMax))
    hiddenCount = sorted.count - self.columns.count
  }

  /// The rows of a request, in its order.
  ///
  /// - Throws: `QueryError`; `StoreError`.
  func rows(
    of request: FetchRequest<ManagedObject>, in context: ManagedObjectContext
  ) throws -> [Row] {
    var fetched = [FetchColumn("SELF").named("@")]
    for column in columns {
      fetched.append(FetchColumn(column.name).named("." + column.name))
      if let label = column.label {
        fetched.append(FetchColumn("\(column.name).\(label)").named("@" + column.name))
      }
    }
    var rows: [Row] = []
    try context.forEachRow(request.select(fetched)) { row in
      guard case .object(let id)? = row["@"] else { return }
      rows.append(
        Row(
          id: id, values: columns.map { row["." + $0.name] ?? .null },
          labels: columns.map { column in
            guard case .string(let text)? = row["@" + column.name] else { return nil }
            return text
          }))
    }
    return rows
  }

  /// The rows of objects, in the order of the IDs. Objects that do not exist have none.
  ///
  /// - Throws: as `rows(of:in:)`.
  func rows(of ids: ArraySlice<ObjectID>, in context: ManagedObjectContext) throws -> [Row] {
    guard !ids.isEmpty else { return [] }
    let request = FetchRequest<ManagedObject>(
      entityName: entity.name, try FetchPredicate(format: "SELF IN %@", Array(ids)))
    let rows = try rows(of: request, in: context)
    let rowsByID = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    return ids.compactMap { rowsByID[$0] }
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The resolution of grouped rows' columns. It collects the columns' aggregates, and checks that
/// all properties outside of aggregates have one value per group.
///
/// The resolver reports every path that begins at the object (`PathResolver.grouping`). An
/// aggregate resolves its own operand without the grouping. No kind of operand or condition needs
/// code for groups. SQL and Core Data have the same rule: a selected column is a literal, an
/// aggregate or a grouped column.
///
/// ## Isolation
/// It belongs to the planning of one request and is not Sendable.
final class RowGrouping {
  /// The aggregates to compute for each group, in the order in which the columns name them.
  private(set) var aggregates: [RowAggregate] = []
  /// The properties by which rows are grouped.
  private let keys: [any Operand]
  /// The first property that is not in `keys`: an error if there are groups.
  private(set) var ungrouped: QueryError?

  init(by keys: [any Operand]) { self.keys = keys }

  /// Adds an aggregate.
  ///
  /// - Returns: the index of the aggregate.
  func add(_ aggregate: RowAggregate) -> Int {
    aggregates.append(aggregate)
    return aggregates.count - 1
  }

  /// Records a path from an object of `entity`.
  func note(_ end: PathResolver.End, _ entity: EntitySchema) {
    guard ungrouped == nil, !keys.contains(where: { $0.leads(to: end) }) else { return }
    switch end {
    case .property(let path):
      ungrouped = .ungroupedProperty(entity: entity.description.name, property: path.name)
    case .object:
      ungrouped = .ungroupedProperty(entity: entity.description.name, property: "objectID")
    case .collection(let collection, _): ungrouped = collection.isUnfit
    }
  }
}

extension Operand {
  /// Whether the operand is the end of a path from the object.
  fileprivate func leads(to end: PathResolver.End) -> Bool {
    switch end {
    case .property(let path):
      guard let own = (self as? PathOperand)?.path else { return false }
      return own.hops == path.hops && own.slot == path.slot && own.name == path.name
    case .object: return self is IdentityOperand
    case .collection: return false
    }
  }
}

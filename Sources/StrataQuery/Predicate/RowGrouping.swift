// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// What the columns of grouped rows are resolved with: it gathers their aggregates, and sees to it that
/// what stands outside of those has one value for each group.
///
/// The resolver tells it of every path that begins at the object (`PathResolver.grouping`); an
/// aggregate resolves its own operand without it. So no kind of operand or condition need know of
/// groups. SQL, Core Data: what is selected is a literal, an aggregate or a grouped column.
///
/// ## Isolation
/// It belongs to the planning of one request; not Sendable.
final class RowGrouping {
  /// What is worked out of each group, in the order in which the columns name it.
  private(set) var aggregates: [RowAggregate] = []
  /// The properties that are grouped by.
  private let keys: [any Operand]
  /// The first property that is none of `keys`: a mistake, if there are groups.
  private(set) var ungrouped: QueryError?

  init(by keys: [any Operand]) { self.keys = keys }

  /// - Returns: the place of the aggregate among all.
  func add(_ aggregate: RowAggregate) -> Int {
    aggregates.append(aggregate)
    return aggregates.count - 1
  }

  /// A path from an object of `entity` is asked for.
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
  /// Whether the operand is what a path from the object leads to.
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

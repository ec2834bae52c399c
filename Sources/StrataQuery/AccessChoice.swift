// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// The planner's choice between the indexes and the records.
struct AccessChoice {
  let access: QueryPlan.Access
  let ordering: QueryPlan.Ordering
  let filter: (any Condition)?

  init(
    condition: (any Condition)?, sort: [ResolvedSortKey], isLimited: Bool, entity: EntitySchema
  ) {
    let sortIndex = Self.index(for: sort, entity)
    let choice = condition.flatMap { IndexChoice(among: $0.terms) }
    if let choice, let index = entity.index(at: choice.stretch.slot),
      !Self.isBetterWalkedInOrder(choice, sortIndex, isLimited: isLimited)
    {
      access = .index(index, choice.stretch.keys)
      filter = choice.rest.isEmpty ? nil : AllOf(choice.rest)
      if let sortIndex, sortIndex.slot == index.slot {
        ordering = .byIndex(isReversed: sort[0].isDescending)
      } else if sort.isEmpty {
        ordering = Self.isOneValue(choice) ? .byIndex(isReversed: false) : .sortingKeys
      } else {
        ordering = .sorting
      }
    } else if let sortIndex, isLimited || condition == nil {
      access = .index(sortIndex, .all)
      filter = condition
      ordering = .byIndex(isReversed: sort[0].isDescending)
    } else {
      access = .records
      filter = condition
      ordering = sort.isEmpty ? .byKey : .sorting
    }
  }

  /// The index whose order is that of the first sort key.
  private static func index(for sort: [ResolvedSortKey], _ entity: EntitySchema) -> IndexSchema? {
    sort.first.flatMap { entity.index(at: $0.slot) }
  }

  /// Whether the entries of `ranges` have one value, and so come in the order of the objects' keys.
  private static func isOneValue(_ choice: IndexChoice) -> Bool {
    let keys = choice.stretch.keys
    guard keys.width == .point, keys.ranges.ranges.count == 1 else { return false }
    let range = keys.ranges.ranges[0]
    // The stretches of values whose keys follow each other, as 2 and 3, are one stretch too.
    return range.upper == KeyRange.successor(ofPrefix: range.lower)
      && range.lower.count < KeyEncoder.valueByteCountMax
  }

  /// Whether to walk the sort key's index and stop at the limit: a range that is open at one end may
  /// be most of the objects, and then the first few in order are soon found.
  private static func isBetterWalkedInOrder(
    _ choice: IndexChoice, _ sortIndex: IndexSchema?, isLimited: Bool
  ) -> Bool {
    guard let sortIndex, isLimited, sortIndex.slot != choice.stretch.slot else { return false }
    return choice.stretch.keys.width == .open
  }
}

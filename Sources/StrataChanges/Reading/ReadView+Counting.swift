// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

extension ReadView {
  /// The number of members of a to-many relationship of `owner`, at most `limit`: the store's
  /// members are not counted beyond it. Without a limit, members that an index has are counted a
  /// block at a time, with the pending difference. Else O(pending members + limit + hidden
  /// members).
  package func memberCount(
    of relationship: RelationshipSchema, owner: ObjectKey, upTo limit: Int = .max
  ) throws -> Int {
    if limit == .max, case .inverseSlot(let index, _) = relationship.storage,
      let counted = try countEntries(of: index, in: KeyRange(leadingTo: owner))
    {
      return counted.count
    }
    var count = 0
    try visitMembers(of: relationship, owner: owner) { _, _ in
      count += 1
      return count < limit ? .more : .stop
    }
    return count
  }

  /// The rule about the number of members that a relationship breaks, and that number; nil if it
  /// breaks none, or if its owner is not there.
  package func brokenCount(
    at place: LinkPlace
  ) throws -> (rule: EntityValidation.CountCheck, count: Int)? {
    guard
      let rule = schema.validation[place.owner.entity]?.counts.first(where: {
        $0.relationship.number == place.relationship
      }),
      try exists(place.owner),
      try !rule.allows(
        memberCount(of: rule.relationship, owner: place.owner, upTo: rule.sufficientCount))
    else { return nil }
    return (rule, try memberCount(of: rule.relationship, owner: place.owner))
  }
}

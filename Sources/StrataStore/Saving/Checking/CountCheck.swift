// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Checks that no relationship has more members after the save than its maximum. The context
/// counted the members that it could see; another save may have added members since. No merge
/// policy can decide which members to remove, so the save fails.
///
/// ## Isolation
/// The writer thread.
struct CountCheck {
  let state: StateAfterSave

  /// Looks at the relationships to which the save adds members, and at no others: one that has too
  /// many already may lose some.
  ///
  /// - Throws: `StoreError.countViolations`; `.damaged`, `LMDBError`.
  func run() throws {
    let places = try gainingPlaces()
    if places.isEmpty { return }
    let after = try state.viewAfterSave()
    let violations = try places.compactMap { place -> StoreError.CountViolation? in
      guard let (rule, count) = try after.brokenCount(at: place), let max = rule.max, count > max
      else { return nil }
      return StoreError.CountViolation(
        objectID: state.objectID(place.owner),
        entity: state.schema.entity(place.owner.entity)?.description.name ?? "",
        property: rule.relationship.name, count: count, max: max)
    }
    if violations.isEmpty { return }
    throw StoreError.countViolations(
      violations.sorted { ($0.objectID.key, $0.property) < ($1.objectID.key, $1.property) })
  }

  /// The relationships with a greatest number of members that gain some.
  private func gainingPlaces() throws -> Set<LinkPlace> {
    let schema = state.schema.validation.memberships
    if schema.relationships.isEmpty { return [] }
    let view = ReadView(of: state.view, state.schema)
    var memberships = MembershipChanges(schema)
    for section in state.plan.sections where schema[section.entity.number] != nil {
      for item in section.items where item.new != nil {
        try memberships.add(
          item.key, from: item.old, to: item.new, changing: item.differing, over: view)
      }
    }
    var places = memberships.gaining
    for (place, links) in state.plan.links.byPlace
    where schema.relationships.contains(place.relationship) && !state.holdsPositions(place) {
      if links.values.contains(where: \.isAddition) { places.insert(place) }
    }
    return places.filter { place in
      state.schema.validation[place.owner.entity]?.counts.contains {
        $0.relationship.number == place.relationship && $0.max != nil
      } ?? false
    }
  }
}

extension LinkState {
  fileprivate var isAddition: Bool { if case .present = self { true } else { false } }
}

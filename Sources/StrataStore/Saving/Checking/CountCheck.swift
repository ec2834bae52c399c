// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Looks whether a relationship has more members after the save than it may. The context has counted what
/// it saw; another save may have added members since. Which of them should go no merge policy can say.
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
    let memberships = state.schema.validation.memberships
    if memberships.relationships.isEmpty { return }
    var violations: [CountViolation] = []
    for (place, gain) in gainsThroughSlots(memberships) where gain.hasAny {
      guard case .inverseSlot(let index, _)? = count(at: place)?.relationship.storage else {
        continue
      }
      let storedCount = try state.view.referrers(to: place.owner, index: index).count
      try check(storedCount + gain.net, at: place, &violations)
    }
    for (place, links) in state.plan.links.byPlace
    where memberships.relationships.contains(place.relationship) {
      guard !state.holdsPositions(place), links.values.contains(where: \.isAddition)
      else { continue }
      var members = Set(try state.view.targets(at: place))
      for (target, link) in links {
        switch link {
        case .present: members.insert(target)
        case .absent: members.remove(target)
        case .moved: break
        }
      }
      try check(members.count(where: { try state.exists($0) }), at: place, &violations)
    }
    if violations.isEmpty { return }
    throw StoreError.countViolations(
      violations.sorted { ($0.objectID.key, $0.relationship) < ($1.objectID.key, $1.relationship) })
  }

  private func check(
    _ found: Int, at place: LinkPlace, _ violations: inout [CountViolation]
  ) throws {
    guard let count = count(at: place), let max = count.max, found > max,
      try state.exists(place.owner)
    else { return }
    violations.append(
      CountViolation(
        objectID: state.objectID(place.owner),
        entity: state.schema.entity(place.owner.entity)?.description.name ?? "",
        relationship: count.relationship.name, count: found, max: max))
  }

  private func count(at place: LinkPlace) -> EntityValidation.CountCheck? {
    state.schema.validation[place.owner.entity]?.counts.first {
      $0.relationship.number == place.relationship
    }
  }

  // MARK: - Members by their to-one slots

  /// What the save does to the members of one relationship of one object.
  private struct Gain {
    var hasAny = false
    var net = 0
  }

  private func gainsThroughSlots(_ memberships: MembershipSchema) -> [LinkPlace: Gain] {
    var gains: [LinkPlace: Gain] = [:]
    for section in state.plan.sections {
      let layout = section.entity.layout
      for membership in memberships[section.entity.number]?.slots ?? [] {
        for item in section.items where item.differing.contains(membership.slot) {
          let former = item.old?.toOne(at: membership.slot, layout: layout)
          let owner = item.new?.toOne(at: membership.slot, layout: layout)
          if former == owner { continue }
          if let former {
            gains[LinkPlace(membership.relationship, former), default: Gain()].net -= 1
          }
          guard let owner else { continue }
          gains[LinkPlace(membership.relationship, owner), default: Gain()].net += 1
          gains[LinkPlace(membership.relationship, owner)]?.hasAny = true
        }
      }
    }
    return gains
  }
}

extension LinkState {
  fileprivate var isAddition: Bool { if case .present = self { true } else { false } }
}

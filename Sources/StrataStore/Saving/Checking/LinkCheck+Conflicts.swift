// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Resolves violations of links as conflicts: two saves were each valid on their own. The merge
// policy decides, by the table of `MergePolicy`. Each decision may cause others, and all are made
// before anything is written.
//
// The resolution terminates: a cleared slot stays clear, an object that stays is deleted again only
// by a cascade, and an object that a cascade has deleted stays deleted.

extension LinkCheck {
  /// Resolves all violations.
  ///
  /// - Throws: `StoreError.danglingLinks`, `.mergePolicyMistakes`.
  mutating func resolveAll() throws {
    try findViolationsOfRevised()
    state.applyRevisions()
    try findViolations()
    while !violations.isEmpty {
      while !violations.isEmpty {
        let found = violations
        violations = []
        for violation in found { try resolve(violation) }
        if !mistakes.isEmpty { throw StoreError.mergePolicyMistakes(mistakes) }
        if !danglingLinks.isEmpty { throw StoreError.danglingLinks(danglingLinks) }
        try findViolationsOfRevised()
      }
      // Another rule may have deleted or unlinked the denying object in the end.
      for violation in denied where try stands(violation) {
        danglingLinks += [danglingLink(violation, isDenied: true)].compactMap(\.self)
      }
      if !danglingLinks.isEmpty { throw StoreError.danglingLinks(danglingLinks) }
      denied = []
      state.applyRevisions()
      // A rule that the save was unaware of may have deleted the target of a link.
      try findViolations()
    }
  }

  private mutating func findViolationsOfRevised() throws {
    let keys = state.freshlyRevised
    state.freshlyRevised = []
    for key in keys {
      guard let item = state.revised[key], let entity = state.schema.entity(key.entity) else {
        continue
      }
      try findViolations(of: item, entity, isRevised: true)
    }
  }

  private mutating func resolve(_ violation: LinkViolation) throws {
    guard try stands(violation) else { return }
    switch violation {
    case .lostTarget(let owner, let relationship, let target):
      if let survivor = state.survivor(of: target) {
        return try set(relationship.slot, of: owner, to: survivor)
      }
      if state.policy == .error || isInvented(target, at: relationship.slot, of: owner) {
        return refuse(violation)
      }
      try clear(relationship.slot, of: owner, leadingTo: target)
    case .lostLink:
      if state.policy == .error { return refuse(violation) }
      state.dropsLinks = true
    case .halfLink(let owner, let slot, let target, _):
      try clear(slot, of: owner, leadingTo: target)
    case .referrer(let owner, let referrer, let deleted):
      if let survivor = state.survivor(of: deleted) {
        return try set(referrer.slot, of: owner, to: survivor)
      }
      try apply(referrer.rule, of: deleted, to: owner, clearing: referrer.slot, violation)
    case .member(let deleted, _, let rule, let target):
      try apply(rule, of: deleted, to: target, violation)
    }
  }

  /// Applies a delete rule to an object that the deleting save was unaware of.
  ///
  /// - Parameter slot: the object's slot, if it leads to the deleted object.
  private mutating func apply(
    _ rule: DeleteRule, of deleted: ObjectKey, to other: ObjectKey, clearing slot: Int? = nil,
    _ violation: LinkViolation
  ) throws {
    guard try verdict(on: deleted, for: violation) == .goes else { return }
    switch rule {
    case .nullify, .noAction: if let slot { try clear(slot, of: other, leadingTo: deleted) }
    case .cascade: try cascade(to: other)
    case .deny: denied.append(violation)
    }
  }

  /// Whether a violation still holds after later decisions.
  private func stands(_ violation: LinkViolation) throws -> Bool {
    switch violation {
    case .lostTarget(let owner, let relationship, let target):
      return try state.target(of: owner, at: relationship.slot) == target && !state.exists(target)
    case .lostLink(_, let target): return try !state.exists(target)
    case .halfLink(let owner, let slot, let target, let partner):
      return try state.target(of: owner, at: slot) == target
        && state.partner(of: target, at: partner) != owner
    case .referrer(let owner, let referrer, let deleted):
      return try !state.exists(deleted) && state.target(of: owner, at: referrer.slot) == deleted
    case .member(let deleted, _, _, let target):
      return try !state.exists(deleted) && state.exists(target)
    }
  }

  /// Whether a policy of the program's own has given a slot its target: that is a mistake, no
  /// conflict.
  private func isInvented(_ target: ObjectKey, at slot: Int, of owner: ObjectKey) -> Bool {
    guard state.policy.isCustom, let layout = state.schema.entity(owner.entity)?.layout else {
      return false
    }
    return state.save.changes[owner]?.record?.toOne(at: slot, layout: layout) != target
  }

  private mutating func refuse(_ violation: LinkViolation) {
    danglingLinks += [danglingLink(violation)].compactMap(\.self)
  }

  /// Asks the policy once of each deleted object: to it, links that came to the object are a change
  /// of the object.
  private mutating func verdict(
    on deleted: ObjectKey, for violation: LinkViolation
  ) throws -> StateAfterSave.DeletionVerdict {
    let verdict = try state.verdicts[deleted] ?? decide(deleted)
    state.verdicts[deleted] = verdict
    if verdict == .refused { refuse(violation) }
    return verdict
  }

  private mutating func decide(_ deleted: ObjectKey) throws -> StateAfterSave.DeletionVerdict {
    guard let entity = state.schema.entity(deleted.entity),
      let theirs = state.item(of: deleted)?.old
    else { return .goes }
    let conflict = MergePolicy.Conflict(
      objectID: state.objectID(deleted), base: state.save.changes[deleted]?.base?.record, ours: nil,
      theirs: theirs, changed: SlotSet(), schema: state.schema)
    switch state.policy.resolve(conflict, layout: entity.layout) {
    case .fail: return .refused
    case .mistaken(let found):
      mistakes += found
      return .stays
    case .delete: return .goes
    case .keepTheirs:
      try state.revise(deleted, to: theirs)
      return .stays
    case .write(let record, let external):
      try state.revise(deleted, to: record, external: external)
      return .stays
    }
  }

  /// Deletes an object because another is deleted; no policy is asked.
  private func cascade(to key: ObjectKey) throws {
    state.verdicts[key] = .goes
    try state.revise(key, to: nil)
  }

  /// Makes a to-one slot nil. The place that the owner had in an ordered relationship goes too.
  private func clear(
    _ slot: Int, of owner: ObjectKey, leadingTo target: ObjectKey
  ) throws {
    try set(slot, of: owner, to: nil)
    let ends = state.schema.entity(owner.entity)?.ends
    if let number = ends?.targets.first(where: { $0.slot == slot })?.positions {
      state.plan.links.set(.absent, at: LinkPlace(number, target), to: owner)
    }
  }

  private func set(_ slot: Int, of owner: ObjectKey, to target: ObjectKey?) throws {
    guard let layout = state.schema.entity(owner.entity)?.layout,
      let record = try state.record(of: owner)
    else { return }
    try state.revise(
      owner, to: state.edited(record, layout) { $0.setToOne(target, at: slot) })
  }
}

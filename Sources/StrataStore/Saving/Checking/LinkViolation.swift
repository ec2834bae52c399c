// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// A link that a save would leave without one of its ends, or with ends that do not agree.
enum LinkViolation {
  /// The to-one slot of a saved object leads to nothing.
  case lostTarget(owner: ObjectKey, RelationshipEnds.Target, target: ObjectKey)
  /// A saved link of two to-many sides leads to nothing. It is not planned.
  case lostLink(LinkPlace, target: ObjectKey)
  /// One end of a one-to-one relationship leads to the other, and that one leads elsewhere.
  case halfLink(owner: ObjectKey, slot: Int, target: ObjectKey, partner: Int)
  /// The save deletes an object and was unaware that another's to-one slot leads to it.
  case referrer(owner: ObjectKey, RelationshipEnds.Referrer, deleted: ObjectKey)
  /// The save deletes an object and was unaware of a link that its delete rule concerns.
  case member(of: ObjectKey, Int?, DeleteRule, target: ObjectKey)
}

extension LinkCheck {
  /// The error for the program if a violation is not resolved; nil for a violation that always is.
  func danglingLink(_ violation: LinkViolation, isDenied: Bool = false) -> StoreError.DanglingLink?
  {
    switch violation {
    case .lostTarget(let owner, let relationship, let target):
      link(.missingTarget, at: relationship.slot, from: owner, to: target)
    case .lostLink(let place, let target):
      link(.missingTarget, at: slot(of: place), from: place.owner, to: target)
    case .halfLink: nil
    case .referrer(let owner, let referrer, let deleted):
      link(
        isDenied ? .deniedReferrer : .unknownReferrer, at: referrer.slot, from: owner, to: deleted)
    case .member(let deleted, let slot, _, let target):
      link(isDenied ? .deniedMember : .unknownMember, at: slot, from: deleted, to: target)
    }
  }

  private func link(
    _ cause: StoreError.DanglingLink.Cause, at slot: Int?, from owner: ObjectKey,
    to target: ObjectKey
  ) -> StoreError.DanglingLink {
    StoreError.DanglingLink(cause, at: slot, from: owner, to: target, in: state.schema)
  }

  private func slot(of place: LinkPlace) -> Int? {
    state.schema.entity(place.owner.entity)?.numbers.firstIndex(of: place.relationship.forward)
  }
}

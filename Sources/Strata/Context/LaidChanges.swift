// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// The changes of a save laid over the unsaved changes of the context that receives them, as the
/// saver's merge policy has decided.
///
/// ## Isolation
/// Sendable: constant.
final class LaidChanges: Sendable {
  /// The changes of the saver.
  let sent: Segment
  /// The changes as they are handed over.
  let segment: Segment
  /// The state beneath the receiver, of the objects that were looked up.
  let ground: Ground
  /// The changes in the form that they have in the receiver.
  let composed: Segment
  /// All changes of the receiver with them.
  let settled: Overlay
  /// The objects on which the policy was asked, and whether the receiver has them.
  let decisions: [(key: ObjectKey, isThere: Bool)]

  /// - Parameters:
  ///   - compared: the receiver's changes with which the save is compared.
  ///   - doubt: the objects to look up beneath the receiver.
  ///   - keepsLost: whether updates of objects that the store has lost are kept, for the store to
  ///     decide.
  ///   - view: shows the state beneath the receiver.
  /// - Throws: `StoreError.mergePolicyMistakes`, `.conflicts` and `.danglingLinks`; the errors of
  ///   reading.
  init(
    _ sent: Segment, onto receiver: Overlay, comparing compared: Overlay, doubting doubt: Doubt,
    keepingLost keepsLost: Bool, _ policy: MergePolicy, schema: Schema,
    beneath view: () throws -> ReadView
  ) throws {
    func ground(of segment: Segment, doubting doubt: Doubt) throws -> Ground {
      var ground = try Ground(of: segment, onto: compared, doubting: doubt, in: view)
      ground.keepsLost = keepsLost
      return ground
    }
    self.sent = sent
    let beneath = try ground(
      of: sent, doubting: PushCheck.doubt(of: sent, beyond: doubt, policy))
    if PushCheck.isNeeded(by: policy) {
      let check = PushCheck(of: sent, onto: compared, on: beneath, policy, schema: schema)
      if !check.mistakes.isEmpty { throw StoreError.mergePolicyMistakes(check.mistakes) }
      if !check.conflicts.isEmpty { throw StoreError.conflicts(check.conflicts) }
      if !check.lostTargets.isEmpty {
        throw StoreError.danglingLinks(
          check.lostTargets.map {
            StoreError.DanglingLink(
              .missingTarget, at: $0.slot, from: $0.owner, to: $0.target, in: schema)
          })
      }
      (segment, decisions) = (check.segment, check.decisions)
    } else {
      (segment, decisions) = (sent, [])
    }
    // A decision may set links that the save did not set.
    self.ground = decisions.isEmpty ? beneath : try ground(of: segment, doubting: .total)
    (composed, settled) = Composition.compose(
      pushed: segment, onto: receiver, on: self.ground, schema: schema)
  }

  /// The state that the saver has read of an object that it has saved. If the receiver shows the
  /// sent values, that is the receiver's present state, as if the saver read it again.
  ///
  /// - Parameter place: the object's place among the sent changes.
  func baseAfterSave(at place: Int) -> Base? {
    // By part: a copy of a change would count references.
    guard composed !== sent, let received = composed.changes.index(of: sent.changes.keys[place]),
      composed.changes.values[received].record == sent.changes.values[place].record
    else { return sent.changes.values[place].base }
    return composed.changes.values[received].base
  }

  /// The objects that the receiver has with other values than were sent because of a decision: of
  /// the merge policy, or of merge rules. False for those that it does not have.
  func decided(_ schema: Schema) -> [ObjectKey: Bool] {
    if decisions.isEmpty, composed === sent || !schema.hasMergeRules { return [:] }
    var decided: [ObjectKey: Bool] = [:]
    for (key, isThere) in decisions { decided[key] = isThere }
    for span in sent.changes.spans {
      guard let entity = schema.entity(span.entity), !entity.mergedSlots.isEmpty else { continue }
      for place in span.range {
        let (key, change) = (sent.changes.keys[place], sent.changes.values[place])
        guard let ours = change.record, let theirs = composed.changes[key]?.record,
          !entity.layout.differingSlots(ours, theirs).intersection(entity.mergedSlots)
            .isDisjoint(with: change.slots)
        else { continue }
        decided[key] = true
      }
    }
    return decided
  }
}

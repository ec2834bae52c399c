// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB

/// Checks one save against what the write transaction has, and works out what it writes.
///
/// ```
///  VersionCheck ──► ConstraintCheck ──► LinkCheck ──► DerivedPlanning ──► IndexPlanning
///                          ▲                                                   │
///                          └──────────── while values collide ◄────────────────┘
///                                                                              ▼
///                                                   CountCheck ──► LinkPlanning ──► SavePlan
/// ```
///
/// Versions come first, with the merge policy's word on each conflict. The other steps look at the state as
/// it will be after the save (`StateAfterSave`), and the policy's word on links and uniqueness may change
/// that. Each step reports its failures together.
enum SaveCheck {
  /// What the save writes.
  ///
  /// - Throws: `StoreError.mergePolicyMistakes`, `.conflicts`, `.danglingLinks`,
  ///   `.uniquenessViolations`, `.countViolations`, `.damaged`; `LMDBError`.
  static func plan(
    _ save: ChangeSet, in transaction: WriteTransaction, _ queue: CommitQueue
  ) throws -> SavePlan {
    let state = StateAfterSave(save, in: transaction, queue)
    var versions = VersionCheck(state)
    try versions.run()
    state.plan.links = save.links
    var constraints = ConstraintCheck(state)
    var links = LinkCheck(state)
    repeat {
      try constraints.resolve()
      try links.settle()
      try DerivedPlanning(state: state).run()
      try IndexPlanning(state: state).run()
      try constraints.find()
    } while !constraints.collisions.isEmpty
    try CountCheck(state: state).run()
    try LinkPlanning(state: state).run()
    return state.plan
  }
}

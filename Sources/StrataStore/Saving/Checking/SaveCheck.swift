// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// Checks one save against the state of the write transaction, and plans its writes.
///
/// ```
///  VersionCheck ──► ConstraintCheck ──► LinkCheck ──► DerivedPlanning ──► IndexPlanning
///                          ▲                                                   │
///                          └──────────── while values collide ◄────────────────┘
///                                                                              ▼
///                                                   CountCheck ──► LinkPlanning ──► SavePlan
/// ```
///
/// Versions are checked first, with the merge policy's decision on each conflict. The other steps
/// read the state after the save (`StateAfterSave`), and the policy's decisions on links and unique
/// values may change that state. Each step reports all of its failures together.
enum SaveCheck {
  /// The planned writes of the save.
  ///
  /// - Parameters:
  ///   - isPartOfBatch: whether the numbers of members are checked at the end of a batch, not here.
  ///   - checksUniqueness: whether unique values are checked.
  /// - Throws: `StoreError.mergePolicyMistakes`, `.conflicts`, `.danglingLinks`,
  ///   `.uniquenessViolations`, `.countViolations`, `.objectTooLarge`, `.serialsExhausted`,
  ///   `.serialsUnreserved`, `.damaged`; `LMDBError`.
  static func plan(
    _ save: ChangeSet, in transaction: WriteTransaction, _ queue: CommitQueue,
    isPartOfBatch: Bool = false, checksUniqueness: Bool = true
  ) throws -> SavePlan {
    let state = StateAfterSave(save, in: transaction, queue)
    var versions = VersionCheck(state)
    try versions.run()
    state.plan.links = save.links
    var constraints = ConstraintCheck(state)
    var links = LinkCheck(state)
    repeat {
      try constraints.resolve()
      try links.resolveAll()
      try derive(state)
      try IndexPlanning(state: state).run()
      if checksUniqueness { try constraints.find() }
    } while !constraints.collisions.isEmpty
    if !isPartOfBatch { try CountCheck(state: state).run() }
    try LinkPlanning(state: state).run()
    try checkSizes(of: state.plan)
    return state.plan
  }

  private static func derive(_ state: StateAfterSave) throws {
    do {
      try DerivedPlanning(state: state).run()
    } catch let error as DerivedValueTooLarge {
      let entity = state.schema.entity(error.key.entity)?.description
      throw StoreError.objectTooLarge(
        ObjectID(store: state.schema.store, key: error.key),
        derivedProperty: entity?.properties[error.slot].name)
    }
  }

  /// Drafts refuse records that are too large, but a merge of two records can make one.
  private static func checkSizes(of plan: SavePlan) throws(StoreError) {
    let byteCountMax = Record.byteCountMax
    for section in plan.sections {
      for place in section.items.indices {
        // By part: a copy of the item would count references.
        guard let byteCount = section.items[place].new?.byteCount, byteCount > byteCountMax
        else { continue }
        throw .objectTooLarge(
          ObjectID(store: section.entity.store, key: section.items[place].key),
          derivedProperty: nil)
      }
    }
  }
}

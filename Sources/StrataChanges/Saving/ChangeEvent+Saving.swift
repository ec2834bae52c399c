// SPDX-License-Identifier: Apache-2.0

extension ChangeEvent {
  /// The events of a layer that releases changes which the store has saved: the decisions of merge
  /// policies, and the remaining newer changes, which are based on the saved records now. The other
  /// changes were announced before.
  ///
  /// - Parameter rebased: the overlay that the layer publishes from now on.
  /// - Returns: nil if there are none.
  package init?(saved: ChangeSet, _ result: CommitResult, rebased: Overlay) {
    let merged = result.merged
    let rested = rebased.segments.flatMap(\.changes.keys).filter {
      saved.changes.index(of: $0) != nil
    }
    if merged.isEmpty && rested.isEmpty { return nil }
    var keys = ChangedKeys()
    for (key, record) in merged { keys.append(key, record == nil ? .delete : .update) }
    self.init(origin: nil, keys: keys, decided: rested)
  }
}

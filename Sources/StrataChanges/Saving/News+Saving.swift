// SPDX-License-Identifier: Apache-2.0

extension News {
  /// What a layer tells when it lets go of changes that the store has saved: what merge policies have
  /// decided, and what is left of newer changes, which rests on the saved records now. The rest was
  /// known before.
  ///
  /// - Parameter rebased: what the layer publishes from now on.
  /// - Returns: nil if that is all.
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

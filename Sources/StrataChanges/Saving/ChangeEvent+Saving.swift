// SPDX-License-Identifier: Apache-2.0
package import StrataModel

extension ChangeEvent {
  /// The events of a layer that releases changes which the store has saved: the decisions of merge
  /// policies, the remaining newer changes, which are based on the saved records now, and newer
  /// changes of ancestors, which show through. The other changes were announced before.
  ///
  /// - Parameters:
  ///   - rebased: the overlay that the layer publishes from now on.
  ///   - beneath: the unsaved changes of the layer's ancestors.
  /// - Returns: nil if there are none.
  package init?(
    saved: ChangeSet, _ result: CommitResult, rebased: Overlay, on beneath: Overlay
  ) {
    let merged = result.merged
    let rested = rebased.segments.flatMap(\.changes.keys).filter {
      saved.changes.index(of: $0) != nil
    }
    var keys = ChangedKeys()
    if !beneath.isEmpty {
      for key in saved.changes.keys where merged[key] == nil {
        guard let newer = beneath.change(for: key) else { continue }
        keys.append(key, newer.kind == .delete ? .delete : .update)
      }
    }
    if merged.isEmpty && rested.isEmpty && keys.isEmpty { return nil }
    for (key, record) in merged { keys.append(key, record == nil ? .delete : .update) }
    self.init(origin: nil, keys: keys, decided: rested)
  }

  /// A commit, in the store's feed.
  ///
  /// Contexts below one that takes part have seen its changes, and no others. So each part has an
  /// event of its own. The first is for objects that no part names: the store has decided on them.
  ///
  /// - Parameters:
  ///   - keys: the objects that it writes; nil without followers.
  ///   - decided: the objects on which the store has decided.
  package init(
    committing saved: ChangeSet, generation: UInt64, keys: ChangedKeys?, decided: [ObjectKey]
  ) {
    self.init(origin: saved.origin, generation: generation, keys: keys, decided: decided)
    guard let keys, !saved.parts.isEmpty else { return }
    var rest = Set(keys.all)
    let events = saved.parts.map { part in
      let named = part.keys
      rest.subtract(named)
      let decided = saved.decided(in: part)
      return ChangeEvent(
        origin: part.origin, generation: generation, keys: keys.filter(named.contains),
        decided: Array(decided.keys),
        uncovered: decided.compactMap { $0.value == nil ? $0.key : nil })
    }
    let others = ChangeEvent(
      origin: saved.origin, generation: generation, keys: keys.filter(rest.contains),
      decided: decided)
    parts = [others] + events
  }
}

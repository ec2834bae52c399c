// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The changes that one save hands to the store.
package struct ChangeSet: Sendable {
  /// The segments of the changes, newest first.
  package let segments: [Segment]
  /// In a save through several contexts, the changes of each, from near to far; otherwise empty.
  package let parts: [ChangeSet]
  /// Everything in them, each object's complete change. Objects that came and went are
  /// left out, with their links.
  package let changes: ChangeTable
  package let links: LinkChanges
  package var mergePolicy: MergePolicy
  /// The saver's name, as the program gives it; nil if it has none.
  package let author: String?
  /// The name of the context that saves; nil if it has none.
  package let contextName: String?
  /// The layer of the context that saves.
  package let origin: LayerIdentity?
  /// The place of the store among the source's stores, for the tags.
  package var storePlace = 0

  /// - Parameter parts: of a save through several contexts, whose changes `overlay` has.
  package init(
    _ overlay: Overlay, of parts: [ChangeSet] = [], mergePolicy: MergePolicy,
    author: String? = nil, contextName: String? = nil, origin: LayerIdentity? = nil
  ) {
    self.origin = origin
    self.parts = parts
    segments = overlay.segments
    let all = overlay.changes
    let vanished =
      all.hasVanished
      ? Set(all.lazy.filter { $0.value.kind == .delete && $0.value.base == nil }.map(\.key)) : []
    changes = vanished.isEmpty ? all : all.filter { !vanished.contains($0.key) }
    // A save of only new objects gives its runs to the store as they are. They are made here, by
    // the saver, not by the writer that all savers wait for.
    if segments.count == 1, all.isInsertsOnly { segments[0].prepareRuns() }
    var links = overlay.links
    if !vanished.isEmpty {
      links.filter { place, target, _ in
        !vanished.contains(place.owner) && !vanished.contains(target)
      }
    }
    self.links = links
    self.mergePolicy = mergePolicy
    self.author = author
    self.contextName = contextName
  }

  package var isEmpty: Bool { changes.isEmpty && links.isEmpty }

  /// The segments that show the changes in contexts: the store tags them.
  package var shown: [Segment] { parts.isEmpty ? segments : parts.flatMap(\.segments) }

  /// The changed objects, and objects of which only links have changed.
  package var keys: Set<ObjectKey> {
    Set(changes.keys).union(links.byPlace.keys.lazy.map(\.owner))
  }

  /// The objects of a part that the save stores with other values than the part has, with these
  /// values; nil for one that it does not store.
  ///
  /// - Complexity: O(changes of the part).
  package func decided(in part: ChangeSet) -> [ObjectKey: Record?] {
    var decided: [ObjectKey: Record?] = [:]
    for (key, ours) in part.changes {
      let saved = changes[key]
      if let saved, ours.kind != .delete || saved.kind == .delete, ours.record == saved.record {
        continue
      }
      decided.updateValue(saved?.record, forKey: key)
    }
    return decided
  }
}

/// The result of a save in the store.
package struct CommitResult: Sendable {
  /// The generation that the save was given.
  package let generation: UInt64
  /// The objects whose stored record differs from the change set's, because a merge policy decided
  /// or because of a derived attribute; nil for an object that the store no longer has.
  package let merged: [ObjectKey: Record?]
  /// The objects of `merged` that differ from the change set only in derived attributes, with their
  /// slots: no policy has decided anything.
  package let derived: [ObjectKey: SlotSet]
  /// The cost of the save.
  package let writes: WriteCount

  package init(
    generation: UInt64, merged: [ObjectKey: Record?] = [:], derived: [ObjectKey: SlotSet] = [:],
    writes: WriteCount = WriteCount()
  ) {
    self.derived = derived
    self.generation = generation
    self.merged = merged
    self.writes = writes
  }
}

extension CommitResult {
  /// The result for one of the contexts that take part in a save.
  ///
  /// - Parameters:
  ///   - others: the objects that only contexts above it have changed.
  ///   - decided: its objects that were saved with other values than it has; nil for one that the
  ///     store does not have.
  package func seen(
    without others: Set<ObjectKey>, deciding decided: [ObjectKey: Record?]
  ) -> Self {
    var (merged, derived) = (merged, derived)
    if !others.isEmpty { merged = merged.filter { !others.contains($0.key) } }
    for (key, record) in decided {
      derived[key] = nil
      if merged[key] == nil { merged.updateValue(record, forKey: key) }
    }
    return CommitResult(
      generation: generation, merged: merged, derived: derived, writes: writes)
  }
}

/// The entries that one save has added to the store's trees and removed from them, counted at each
/// write.
package struct WriteCount: Sendable, Hashable {
  package var recordsPut = 0
  package var recordsDeleted = 0
  /// Values of external attributes.
  package var externalPut = 0
  package var externalDeleted = 0
  /// Index entries and links.
  package var entriesPut = 0
  /// The entries that existed and were read: those of an emptied tree are not counted.
  package var entriesDeleted = 0
  /// The trees that were rewritten, because many of their entries changed.
  package var treesRewritten = 0
  /// The trees that were emptied, because no entry stays.
  package var treesEmptied = 0

  package init() {}
}

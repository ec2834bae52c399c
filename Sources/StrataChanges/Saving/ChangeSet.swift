// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The changes that one save hands to the store.
package struct ChangeSet: Sendable {
  /// The frozen overlay's segments, newest first; the store tags them.
  package let segments: [Segment]
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

  package init(
    _ overlay: Overlay, mergePolicy: MergePolicy, author: String? = nil,
    contextName: String? = nil, origin: LayerIdentity? = nil
  ) {
    self.origin = origin
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

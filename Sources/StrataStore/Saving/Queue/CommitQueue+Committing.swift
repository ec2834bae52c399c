// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataRecord

// The end of a transaction of saves: a group's, or a batch's.

extension CommitQueue {
  /// Commits the transaction: makes all its writes visible and durable.
  ///
  /// The feed gets its entries before the commit is visible: a reader that takes a snapshot of the
  /// commit finds its entries. Other processes find the changes in the file.
  ///
  /// The tags are set while the transaction holds LMDB's write lock: a later view sees a saved
  /// segment either here or in the snapshot. If the commit fails, LMDB has released its lock before
  /// it returns the error. This thread is the only writer here, and another process would have to
  /// finish a whole save before the tags are cleared.
  ///
  /// - Parameters:
  ///   - generation: the generation of the last save in the transaction.
  func commit(
    _ transaction: WriteTransaction, generation: UInt64, _ written: [WrittenSave]
  ) throws {
    try Catalog.setGeneration(generation, ofVersion: schema.version, in: transaction)
    if !written.isEmpty, environment.isShared {
      try RecentChanges.write(written.map(\.event.keys), upTo: generation, in: transaction)
    }
    for save in written {
      let tag = CommitTag.tag(save.event.generation, ofStoreAt: save.storePlace)
      for segment in save.segments { segment.setTag(tag) }
    }
    let entries = written.compactMap { feed.append($0.event) }
    // The saves of others before this commit may be hidden from the watch until it has ended.
    let (former, ownCount) = (generation - UInt64(written.count), feed.ownCommitCount)
    defer { feed.compare(generation: former, withOwnCommits: ownCount) }
    feed.countOwnCommits(written.count)
    PausePoint.tagged.reach(schema)
    do {
      try transaction.commit()
    } catch {
      if !PlantedFault.tagStays.isPlanted(in: schema) {
        for segment in written.flatMap(\.segments) { segment.clearTag() }
      }
      for entry in entries { feed.void(entry) }
      feed.countOwnCommits(-written.count)
      throw error
    }
    for save in written { feed.tell(save.event) }
    // Asked again: a process that has opened the file before the commit was visible is told.
    if !written.isEmpty, environment.isShared { environment.tellOthers() }
  }
}

/// A save that a transaction has written and not committed yet.
struct WrittenSave {
  /// They get a tag. A batch has none.
  let segments: [Segment]
  /// The place of the store, as in the change set.
  let storePlace: Int
  /// The entry of the feed, with the generation that the save gets.
  let event: ChangeEvent
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataPrimitives
import StrataRecord

/// Tells the feed of a file that other processes have saved to it.
///
/// The saves of other processes are in no feed: a context finds them when it takes a view
/// (`Following`), and reads in the snapshot which objects they have changed. This has the contexts
/// that merge automatically take one.
///
/// It leaves out the saves of this process. Each save has a generation of its own, so the file's
/// generation grows by more than this process's saves if others have saved.
///
/// ## Lifetime
/// The feed keeps it, from the first listener on.
///
/// ## Isolation
/// Sendable.
final class OtherProcesses: Sendable {
  // Weak: the watch does not keep the file open.
  private weak let environment: Environment?
  private weak let feed: ChangeFeed?
  /// How many saves of others are known, and of this process before it counted.
  private let knownCount = CountedMutex<UInt64>(0)
  private let watch = SetOnce<CommitWatch>()

  init(_ environment: Environment, _ feed: ChangeFeed) {
    (self.environment, self.feed) = (environment, feed)
    if let (_, count) = count(in: environment, feed) { knownCount.withLock { $0 = count } }
    let watch = environment.watchOthers { [weak self] in self?.look() }
    if let watch { self.watch.storeIfNil(watch) }
    // Others may have saved in between.
    look()
  }

  /// The generation of the file's last save, less the number of this process's saves.
  private func count(
    in environment: Environment, _ feed: ChangeFeed
  ) -> (generation: UInt64, count: UInt64)? {
    // The file's first: a save of this process is counted before it is visible.
    guard let transaction = try? environment.read(),
      let generation = try? Catalog.anyGeneration(in: transaction)
    else { return nil }
    return (generation, generation &- feed.ownCommitCount)
  }

  private func look() {
    guard let environment, let feed, let (generation, count) = count(in: environment, feed) else {
      return
    }
    let isNew = knownCount.withLock { known in
      // A save of this process that is not visible yet is counted: the difference may be negative.
      guard Int64(bitPattern: count &- known) > 0 else { return false }
      known = count
      return true
    }
    if isNew { feed.tell(.elsewhere(upTo: generation)) }
  }
}

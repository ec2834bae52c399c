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
final class OtherProcesses: ForeignCommitWatch {
  // Weak: the watch does not keep the file open.
  private weak let environment: Environment?
  private weak let feed: ChangeFeed?
  /// How many saves of others are known, and of this process before it counted.
  private let knownCount = CountedMutex<UInt64>(0)
  private let watch = SetOnce<CommitWatch>()

  init(_ environment: Environment, _ feed: ChangeFeed) {
    (self.environment, self.feed) = (environment, feed)
    if let generation = Self.generation(of: environment) {
      let count = generation &- feed.ownCommitCount
      knownCount.withLock { $0 = count }
    }
    let watch = environment.watchOthers { [weak self] in self?.look() }
    if let watch { self.watch.storeIfNil(watch) }
    // Others may have saved in between.
    look()
  }

  private static func generation(of environment: Environment) -> UInt64? {
    guard let transaction = try? environment.read() else { return nil }
    return try? Catalog.anyGeneration(in: transaction)
  }

  private func look() {
    // The file's first: a save of this process is counted before it is visible. One that is counted
    // and not visible hides one of another process here; its end compares again.
    guard let environment, let generation = Self.generation(of: environment), let feed else {
      return
    }
    compare(generation: generation, withOwnCommits: feed.ownCommitCount)
  }

  func compare(generation: UInt64, withOwnCommits count: UInt64) {
    let foreignCount = generation &- count
    let isNew = knownCount.withLock { known in
      guard Int64(bitPattern: foreignCount &- known) > 0 else { return false }
      known = foreignCount
      return true
    }
    if isNew { feed?.tell(.elsewhere(upTo: generation)) }
  }
}

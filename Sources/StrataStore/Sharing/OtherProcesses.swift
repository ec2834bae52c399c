// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataPrimitives
import StrataRecord

/// Notifies the feed of a file when other processes have saved to the file.
///
/// The saves of other processes are in no feed. A context notices them when it takes a view
/// (`Following`), and reads the changed objects in the snapshot. The notification makes contexts
/// that merge automatically take a view.
///
/// It ignores the saves of this process. Each save increments the file's generation, so other
/// processes have saved if the generation grows by more than the number of this process's saves.
///
/// ## Lifetime
/// The feed keeps it from the feed's first listener on.
///
/// ## Isolation
/// Sendable.
final class OtherProcesses: ForeignCommitWatch {
  private struct File {
    // Weak: the watch does not keep the file open.
    weak var environment: Environment?
    var watch: CommitWatch?
  }

  private let file = CountedMutex(File())
  private weak let feed: ChangeFeed?
  /// How many saves of other processes are known, including saves of this process that the feed has
  /// not counted.
  private let knownCount = CountedMutex<UInt64>(0)

  init(_ environment: Environment, _ feed: ChangeFeed) {
    self.feed = feed
    if let generation = Self.generation(of: environment) {
      let count = generation &- feed.ownCommitCount
      knownCount.withLock { $0 = count }
    }
    follow(environment)
  }

  func restart() {
    guard let feed, let environment = StoreFeeds.environment(of: feed) else { return }
    follow(environment)
  }

  private func follow(_ environment: Environment) {
    let watch = environment.watchOthers { [weak self] in self?.look() }
    file.withLock { file in file = File(environment: environment, watch: watch) }
    // Other processes may have saved before the watch began.
    look()
  }

  private static func generation(of environment: Environment) -> UInt64? {
    guard let transaction = try? environment.read() else { return nil }
    return try? Catalog.generation(in: transaction, ofVersion: nil)
  }

  private func look() {
    // The file's generation is read first: a save of this process is counted before it is visible.
    // A save that is counted and not yet visible can hide a save of another process here. The
    // comparison is repeated when that save ends.
    guard let environment = file.withLock({ $0.environment }), let feed,
      let generation = Self.generation(of: environment)
    else { return }
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

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataPrimitives

/// The change feeds of the files that are open in this process: one for each file, shared by all
/// stores that have it open, so that two coordinators on one file see each other's saves object by
/// object. Their keys mean the same: a file opens with one model only, and its numbers are in the
/// file.
///
/// ## Isolation
/// Sendable. All writes to a file are on its environment's one thread, so its feed is in the order
/// of the generations.
enum StoreFeeds {
  private struct Entry {
    weak var environment: Environment?
    weak var feed: ChangeFeed?
  }

  /// Few: of the files that are open.
  private static let entries = CountedMutex<[Entry]>([])

  static func feed(of environment: Environment) -> ChangeFeed {
    entries.withLock { entries in
      if let feed = entries.first(where: { $0.environment === environment })?.feed { return feed }
      let feed = ChangeFeed(watching: { feed in
        Self.environment(of: feed).map { OtherProcesses($0, feed) }
      })
      entries.removeAll { $0.environment == nil || $0.environment === environment }
      entries.append(Entry(environment: environment, feed: feed))
      return feed
    }
  }

  static func environment(of feed: ChangeFeed) -> Environment? {
    entries.withLock { entries in entries.first { $0.feed === feed }?.environment }
  }

  /// Makes a feed the feed of a file that was opened again.
  static func move(_ feed: ChangeFeed, to environment: Environment) {
    entries.withLock { entries in
      entries.removeAll {
        $0.environment == nil || $0.environment === environment || $0.feed === feed
      }
      entries.append(Entry(environment: environment, feed: feed))
    }
  }
}

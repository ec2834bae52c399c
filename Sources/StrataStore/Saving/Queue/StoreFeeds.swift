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
    // Compared too, because a new environment may get the address of a deallocated one.
    weak var environment: Environment?
    weak var feed: ChangeFeed?
  }

  private static let entries = CountedMutex<[ObjectIdentifier: Entry]>([:])

  static func feed(of environment: Environment) -> ChangeFeed {
    entries.withLock { entries in
      let place = ObjectIdentifier(environment)
      if let entry = entries[place], entry.environment === environment, let feed = entry.feed {
        return feed
      }
      entries = entries.filter { $0.value.environment != nil }
      let feed = ChangeFeed()
      entries[place] = Entry(environment: environment, feed: feed)
      return feed
    }
  }
}

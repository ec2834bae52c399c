// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// The changes of one layer or one store, in order: contexts read in it which of the objects that
/// they hold are outdated. Every change of the store is appended to its feed.
///
/// ```
///   follower A           follower B           the feed
///       │                    │                    │
///       ▼                    ▼                    ▼
///   bookmark ──event──►  bookmark ──event──►     end
/// ```
///
/// The feed holds only its end. A follower holds the bookmark that it has reached, and with it the
/// rest of the chain. So the part that all followers have passed is freed, and without followers
/// nothing is recorded at all.
///
/// ## Invariants
/// - I1 A layer's feed is appended to in the critical section of the layers' lock in which
///   `published` changes. A reader that copies the published segments and the end in one critical
///   section has exactly the events before that end.
/// - I2 A store's feed is appended to before the commit that an entry describes becomes visible, in
///   the order of the generations. A reader of a snapshot finds the events of its generation here.
///   Events of a failed commit are voided.
/// - I3 A follower that falls behind by more than two chapters is cut off: it keeps no more than
///   those alive, and is notified that anything may have changed.
///
/// ## Isolation
/// Sendable. The lock is held for steps along the chain, never for freeing more than a chapter.
package final class ChangeFeed: Sendable {
  /// A chapter ends after this number of entries, or of keys in them.
  private let chapterEntryCountMax: Int
  private let chapterKeyCountMax: Int

  /// A position in the feed, between earlier and later entries.
  ///
  /// ## Isolation
  /// Sendable: the feed's lock guards it.
  package final class Bookmark: Sendable {
    /// Counts the bookmarks of a feed.
    package let number: UInt64

    // Safety: read and written inside the feed's lock, and in `deinit`.
    fileprivate nonisolated(unsafe) var event: ChangeEvent?
    // Safety: read and written inside the feed's lock, and in `deinit`.
    fileprivate nonisolated(unsafe) var next: Bookmark?
    // Safety: read and written inside the feed's lock.
    fileprivate nonisolated(unsafe) var isVoid = false

    fileprivate init(number: UInt64) { self.number = number }

    // One after the other: a long chain would overflow the stack.
    deinit {
      var rest = next.take()
      while isKnownUniquelyReferenced(&rest), let bookmark = rest { rest = bookmark.next.take() }
    }
  }

  /// Is called for events as they arrive, as long as a reference to it exists.
  ///
  /// ## Isolation
  /// Sendable: constant.
  package final class Listener: Sendable {
    fileprivate let hear: @Sendable (ChangeEvent) -> Void

    /// - Parameter hear: runs on the thread that made the events, after they are visible and
    ///   outside of any lock of the feed; it must be short.
    package init(_ hear: @escaping @Sendable (ChangeEvent) -> Void) { self.hear = hear }
  }

  /// An entry that was added.
  package struct Entry: Sendable {
    package let bookmark: Bookmark
    /// The entries that only a slow follower has kept alive: released with this value, outside of
    /// locks.
    fileprivate let cut: Bookmark?
  }

  private struct WeakListener { weak var listener: Listener? }

  private struct State {
    var end = Bookmark(number: 0)
    /// The last bookmark of the chapter before this one, if any follower is still there.
    weak var chapterEnd: Bookmark?
    var entryCount = 0
    var keyCount = 0
    var listeners: [WeakListener] = []
  }

  private let state = CountedMutex(State())
  private let commitCount = Atomic<UInt64>(0)
  private let beginWatch: (@Sendable (ChangeFeed) -> (any ForeignCommitWatch)?)?
  /// Nil before the first listener.
  private let watch = CountedMutex<(any ForeignCommitWatch)?>(nil)

  /// - Parameter beginWatch: called for the first listener: returns an object that tells the feed
  ///   of the commits of other processes. The feed keeps it.
  package init(
    chapterEntryCountMax: Int = 1_024, chapterKeyCountMax: Int = 100_000,
    watching beginWatch: (@Sendable (ChangeFeed) -> (any ForeignCommitWatch)?)? = nil
  ) {
    self.chapterEntryCountMax = chapterEntryCountMax
    self.chapterKeyCountMax = chapterKeyCountMax
    self.beginWatch = beginWatch
  }

  // MARK: - Appending

  /// Whether the feed has followers. Without followers, events need not be computed.
  package var isFollowed: Bool { state.withLock { !isKnownUniquelyReferenced(&$0.end) } }

  /// Adds an entry, unless the feed has no followers.
  ///
  /// - Returns: the entry, for `void(_:)`; keep it until no lock is held.
  package func append(_ event: ChangeEvent) -> Entry? {
    state.withLock { state in
      if isKnownUniquelyReferenced(&state.end) { return nil }
      let filled = state.end
      let end = Bookmark(number: filled.number + 1)
      filled.event = event
      filled.next = end
      state.end = end
      state.entryCount += 1
      state.keyCount += event.keyCount
      guard state.entryCount >= chapterEntryCountMax || state.keyCount >= chapterKeyCountMax
      else { return Entry(bookmark: filled, cut: nil) }
      let cut = state.chapterEnd?.next.take()
      state.chapterEnd = filled
      state.entryCount = 0
      state.keyCount = 0
      return Entry(bookmark: filled, cut: cut)
    }
  }

  /// Counts commits of this process, of which each has a generation: before they are visible, and
  /// back if they fail.
  package func countOwnCommits(_ count: Int) {
    commitCount.wrappingAdd(
      UInt64(bitPattern: Int64(count)), ordering: .sequentiallyConsistent)
  }

  /// How many commits this process has made, as far as they count, modulo 2⁶⁴.
  package var ownCommitCount: UInt64 { commitCount.load(ordering: .sequentiallyConsistent) }

  /// Takes back an entry: its commit has failed.
  package func void(_ entry: Entry) { state.withLock { _ in entry.bookmark.isVoid = true } }

  // MARK: - Following

  /// The place after the newest entry.
  package var end: Bookmark { state.withLock { $0.end } }

  /// The events between two bookmarks, oldest first.
  ///
  /// - Returns: nil if anything may have changed: the follower was cut off, or `end` is before
  ///   `start`.
  package func events(from start: Bookmark, to end: Bookmark) -> [ChangeEvent]? {
    if start === end { return [] }
    return state.withLock { _ in
      var event: [ChangeEvent] = []
      var bookmark = start
      while bookmark !== end {
        guard bookmark.number < end.number, let entry = bookmark.event, let next = bookmark.next
        else {
          return nil
        }
        if !bookmark.isVoid { event.append(entry) }
        bookmark = next
      }
      return event
    }
  }

  /// The events after `bookmark` up to a generation, oldest first; `bookmark` moves on behind them.
  ///
  /// - Returns: nil if the follower was cut off; `bookmark` is then the end.
  package func events(after bookmark: inout Bookmark, upTo generation: UInt64) -> [ChangeEvent]? {
    let (event, reached) = state.withLock { [bookmark] state -> ([ChangeEvent]?, Bookmark) in
      var event: [ChangeEvent] = []
      var bookmark = bookmark
      while bookmark !== state.end {
        guard let entry = bookmark.event, let next = bookmark.next else { return (nil, state.end) }
        if !bookmark.isVoid {
          if entry.generation > generation { break }
          event.append(entry)
        }
        bookmark = next
      }
      return (event, bookmark)
    }
    bookmark = reached
    return event
  }

  // MARK: - Listening

  /// Adds a listener. When this returns, it is told of every later event.
  package func add(_ listener: Listener) {
    state.withLock { state in
      state.listeners.removeAll { $0.listener == nil }
      state.listeners.append(WeakListener(listener: listener))
    }
    guard let beginWatch else { return }
    // A second listener waits until the first one's watch has begun.
    watch.withLock { watch in
      if watch == nil { watch = beginWatch(self) }
    }
  }

  /// Lets the watch follow the store's file after it was opened again.
  package func restartWatch() {
    guard let beginWatch, state.withLock({ !$0.listeners.isEmpty }) else { return }
    let present = watch.withLock { watch in
      if watch == nil { watch = beginWatch(self) }
      return watch
    }
    present?.restart()
  }

  /// Passes the watch a generation of the store, to be compared with the commits that this process
  /// has made up to it.
  package func compare(generation: UInt64, withOwnCommits count: UInt64) {
    watch.withLock { $0 }?.compare(generation: generation, withOwnCommits: count)
  }

  /// Tells listeners of events that are visible now.
  package func tell(_ event: ChangeEvent) {
    let listeners = state.withLock { state in
      state.listeners.isEmpty ? [] : state.listeners.compactMap(\.listener)
    }
    for listener in listeners { listener.hear(event) }
  }
}

/// Tells a feed of the commits of other processes.
package protocol ForeignCommitWatch: AnyObject, Sendable {
  /// Follows the store's file after it was opened again.
  func restart()

  /// Tells the feed if the store has more commits than this process has made.
  ///
  /// - Parameters:
  ///   - generation: of a state of the store.
  ///   - count: `ChangeFeed.ownCommitCount` in that state.
  func compare(generation: UInt64, withOwnCommits count: UInt64)
}

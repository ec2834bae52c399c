// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The changes of one layer or one store, in order: contexts read in it which of the objects that
/// they hold are outdated. Every change of the store is appended to its feed.
///
/// ```
///   follower A        follower B                 the feed
///       │                 │                         │
///       ▼                 ▼                         ▼
///     mark ──news──►    mark ──news──►  mark ──►   end
/// ```
///
/// The feed holds its end alone. A follower holds the mark that it has reached, and with it the
/// rest of the chain. So the part that all followers have passed is freed, and without followers
/// nothing is recorded at all.
///
/// ## Invariants
/// - I1 A layer's feed is appended to in the critical section of the layers' lock in which
///   `published` changes. A reader that copies the published segments and the end in one critical
///   section has exactly the news before that end.
/// - I2 A store's feed is appended to before the commit that an entry describes becomes visible, in
///   the order of the generations. A reader of a snapshot finds the news of its generation here.
///   News of a failed commit are voided.
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
  package final class Mark: Sendable {
    /// Counts the marks of a feed.
    package let number: UInt64

    // Safety: read and written inside the feed's lock, and in `deinit`.
    fileprivate nonisolated(unsafe) var news: News?
    // Safety: as `news`.
    fileprivate nonisolated(unsafe) var next: Mark?
    // Safety: as `news`.
    fileprivate nonisolated(unsafe) var isVoid = false

    fileprivate init(number: UInt64) { self.number = number }

    // One after the other: a long chain would overflow the stack.
    deinit {
      var rest = next.take()
      while isKnownUniquelyReferenced(&rest), let mark = rest { rest = mark.next.take() }
    }
  }

  /// Is called for news as they arrive, as long as a reference to it exists.
  package final class Listener: Sendable {
    fileprivate let hear: @Sendable (News) -> Void

    /// - Parameter hear: runs on the thread that made the news, after they are visible and outside
    ///   of any lock of the feed; it must be short.
    package init(_ hear: @escaping @Sendable (News) -> Void) { self.hear = hear }
  }

  /// An entry that was added.
  package struct Entry: Sendable {
    package let mark: Mark
    /// The entries that only a slow follower has kept alive: released with this value, outside of
    /// locks.
    fileprivate let cut: Mark?
  }

  private struct WeakListener { weak var listener: Listener? }

  private struct State {
    var end = Mark(number: 0)
    /// The last mark of the chapter before this one, if any follower is still there.
    weak var chapterEnd: Mark?
    var entryCount = 0
    var keyCount = 0
    var listeners: [WeakListener] = []
  }

  private let state = CountedMutex(State())

  package init(chapterEntryCountMax: Int = 1_024, chapterKeyCountMax: Int = 100_000) {
    self.chapterEntryCountMax = chapterEntryCountMax
    self.chapterKeyCountMax = chapterKeyCountMax
  }

  // MARK: - Appending

  /// Whether the feed has followers. Without followers, news need not be computed.
  package var isFollowed: Bool { state.withLock { !isKnownUniquelyReferenced(&$0.end) } }

  /// Adds an entry, unless the feed has no followers.
  ///
  /// - Returns: the entry, for `void(_:)`; keep it until no lock is held.
  package func append(_ news: News) -> Entry? {
    state.withLock { state in
      if isKnownUniquelyReferenced(&state.end) { return nil }
      let filled = state.end
      let end = Mark(number: filled.number + 1)
      filled.news = news
      filled.next = end
      state.end = end
      state.entryCount += 1
      state.keyCount += news.keyCount
      guard state.entryCount >= chapterEntryCountMax || state.keyCount >= chapterKeyCountMax
      else { return Entry(mark: filled, cut: nil) }
      let cut = state.chapterEnd?.next.take()
      state.chapterEnd = filled
      state.entryCount = 0
      state.keyCount = 0
      return Entry(mark: filled, cut: cut)
    }
  }

  /// Takes back an entry: its commit has failed.
  package func void(_ entry: Entry) { state.withLock { _ in entry.mark.isVoid = true } }

  // MARK: - Following

  /// The place after the newest entry.
  package var end: Mark { state.withLock { $0.end } }

  /// The news between two marks, oldest first.
  ///
  /// - Returns: nil if anything may have changed: the follower was cut off, or `end` is before
  ///   `start`.
  package func news(from start: Mark, to end: Mark) -> [News]? {
    if start === end { return [] }
    return state.withLock { _ in
      var news: [News] = []
      var mark = start
      while mark !== end {
        guard mark.number < end.number, let entry = mark.news, let next = mark.next else {
          return nil
        }
        if !mark.isVoid { news.append(entry) }
        mark = next
      }
      return news
    }
  }

  /// The news after `mark` up to a generation, oldest first; `mark` moves on behind them.
  ///
  /// - Returns: nil if the follower was cut off; `mark` is then the end.
  package func news(after mark: inout Mark, upTo generation: UInt64) -> [News]? {
    let (news, reached) = state.withLock { [mark] state -> ([News]?, Mark) in
      var news: [News] = []
      var mark = mark
      while mark !== state.end {
        guard let entry = mark.news, let next = mark.next else { return (nil, state.end) }
        if !mark.isVoid {
          if entry.generation > generation { break }
          news.append(entry)
        }
        mark = next
      }
      return (news, mark)
    }
    mark = reached
    return news
  }

  // MARK: - Listening

  package func add(_ listener: Listener) {
    state.withLock { state in
      state.listeners.removeAll { $0.listener == nil }
      state.listeners.append(WeakListener(listener: listener))
    }
  }

  /// Tells listeners of news that are visible now.
  package func tell(_ news: News) {
    let listeners = state.withLock { state in
      state.listeners.isEmpty ? [] : state.listeners.compactMap(\.listener)
    }
    for listener in listeners { listener.hear(news) }
  }
}

// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import Synchronization
import Testing

private typealias G = Geography

private func event(_ serial: UInt64, generation: UInt64 = 0) -> ChangeEvent {
  ChangeEvent(
    origin: nil, generation: generation, keys: ChangedKeys(updated: [G.key("City", serial)]))
}

/// The serials that events are about; nil for a follower that was cut off.
private func serials(_ event: [ChangeEvent]?) -> [UInt64]? {
  event?.flatMap { $0.keys?.updated.map(\.serial) ?? [] }
}

@Suite struct `A change feed` {
  @Test func `gives a follower the entries after its mark, in order`() {
    let feed = ChangeFeed()
    let start = feed.end
    for serial in 1...3 as ClosedRange<UInt64> { _ = feed.append(event(serial)) }
    let middle = feed.end
    _ = feed.append(event(4))
    #expect(serials(feed.events(from: start, to: middle)) == [1, 2, 3])
    #expect(serials(feed.events(from: middle, to: feed.end)) == [4])
    #expect(serials(feed.events(from: start, to: feed.end)) == [1, 2, 3, 4])
    #expect(feed.events(from: middle, to: start) == nil)
  }

  @Test func `notes nothing without followers`() {
    let feed = ChangeFeed()
    #expect(!feed.isFollowed)
    #expect(feed.append(event(1)) == nil)
    let mark = feed.end
    #expect(feed.isFollowed)
    #expect(feed.append(event(2)) != nil)
    #expect(serials(feed.events(from: mark, to: feed.end)) == [2])
  }

  @Test func `releases entries that all followers have passed`() {
    let feed = ChangeFeed()
    var slow = feed.end
    weak let passed = slow
    _ = feed.append(event(1))
    let fast = feed.end
    _ = feed.append(event(2))
    #expect(passed != nil)
    slow = feed.end
    #expect(passed == nil)
    #expect(serials(feed.events(from: fast, to: slow)) == [2])
  }

  @Test func `lets go of a million entries at once`() {
    let feed = ChangeFeed(chapterEntryCountMax: .max, chapterKeyCountMax: .max)
    var start: ChangeFeed.Bookmark? = feed.end
    weak let first = start
    for serial in 1...1_000_000 as ClosedRange<UInt64> { _ = feed.append(event(serial)) }
    #expect(first != nil)
    start = nil
    #expect(first == nil)
    #expect(!feed.isFollowed)
  }

  @Test func `cuts off a follower that is two chapters behind, and releases its entries`() {
    let feed = ChangeFeed(chapterEntryCountMax: 10)
    let idle = feed.end
    var active = feed.end
    weak var kept: ChangeFeed.Bookmark?
    for serial in 1...35 as ClosedRange<UInt64> {
      _ = feed.append(event(serial))
      #expect(serials(feed.events(from: active, to: feed.end)) == [serial])
      active = feed.end
      if serial == 15 {
        kept = active
        #expect(feed.events(from: idle, to: active)?.count == 15)
      }
    }
    #expect(feed.events(from: idle, to: active) == nil)
    #expect(kept == nil)
  }

  @Test func `cuts off by the number of keys too`() {
    let feed = ChangeFeed(chapterKeyCountMax: 10)
    let idle = feed.end
    for serial in 1...9 as ClosedRange<UInt64> { _ = feed.append(event(serial)) }
    #expect(feed.events(from: idle, to: feed.end)?.count == 9)
    for serial in 10...30 as ClosedRange<UInt64> { _ = feed.append(event(serial)) }
    #expect(feed.events(from: idle, to: feed.end) == nil)
  }

  @Test func `stops at the generation of a snapshot, and goes on from there`() {
    let feed = ChangeFeed()
    var mark = feed.end
    for generation in 1...3 as ClosedRange<UInt64> {
      _ = feed.append(event(generation, generation: generation))
    }
    #expect(serials(feed.events(after: &mark, upTo: 2)) == [1, 2])
    #expect(serials(feed.events(after: &mark, upTo: 2)) == [])
    #expect(serials(feed.events(after: &mark, upTo: 3)) == [3])
  }

  @Test func `skips voided event, whose generation another commit gets`() throws {
    let feed = ChangeFeed()
    var mark = feed.end
    _ = feed.append(event(1, generation: 1))
    let failed = try #require(feed.append(event(2, generation: 2)))
    feed.void(failed)
    _ = feed.append(event(3, generation: 2))
    #expect(serials(feed.events(after: &mark, upTo: 2)) == [1, 3])
  }

  @Test func `notifies its listeners, for as long as they are held`() {
    let feed = ChangeFeed()
    let heard = Mutex<[UInt64]>([])
    var listener: ChangeFeed.Listener? = ChangeFeed.Listener { event in
      heard.withLock { $0.append(event.generation) }
    }
    if let listener { feed.add(listener) }
    feed.tell(event(1, generation: 1))
    listener = nil
    feed.tell(event(2, generation: 2))
    #expect(heard.withLock { $0 } == [1])
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The reports of a context to the lists that follow it.
struct LiveChanges {
  /// The objects that may read otherwise than before.
  var keys: Set<ObjectKey> = []
  /// Objects that are to be looked at, and may be as they were.
  var suspects: Set<ObjectKey> = []
  /// Of some of `keys`, the only slots that may differ.
  var slots: [ObjectKey: SlotSet] = [:]
  /// Any object may have changed.
  var isUnknown = false
  /// The number of the reset at which the context has released all objects: later reports are about
  /// the time after it. Nil if there was none.
  var reset: Int?

  var isEmpty: Bool { keys.isEmpty && suspects.isEmpty && !isUnknown && reset == nil }

  init() {}

  /// The changes of a turn or a merge.
  ///
  /// - Parameter objects: the same changes, computed.
  init(_ turn: TurnChanges, _ objects: ChangedObjects) {
    let resolved = objects.resolved
    for ids in [resolved.inserted, resolved.updated, resolved.deleted, resolved.refreshed] {
      for id in ids { keys.insert(id.key) }
    }
    // None of them has objects that were inserted and deleted; but a list may have been fetched in
    // between.
    keys.formUnion(turn.inserted)
    keys.formUnion(turn.deleted)
    for (key, slots) in resolved.slots {
      let id = ObjectID(store: objects.contents.store, key: key)
      if resolved.updated.contains(id), !resolved.refreshed.contains(id) {
        self.slots[key] = slots
      }
    }
  }

  mutating func append(_ later: LiveChanges) {
    if later.reset != nil { self = LiveChanges() }
    for key in later.keys where keys.contains(key) {
      guard let slots = slots[key] else { continue }
      self.slots[key] = later.slots[key].map { slots.union($0) }
    }
    for (key, slots) in later.slots where !keys.contains(key) { self.slots[key] = slots }
    keys.formUnion(later.keys)
    suspects.formUnion(later.suspects)
    isUnknown = isUnknown || later.isUnknown
    reset = later.reset ?? reset
  }
}

/// A list that follows its context. It is notified at the end of each turn, and before every other
/// objectsDidChange.
protocol LiveResults: AnyObject {
  func contextDidChange(_ changes: LiveChanges)
}

/// The lists that follow one context.
///
/// ## Lifetime
/// The lists are held weakly: they are the program's.
struct LiveResultsList {
  private struct Box {
    weak var results: (any LiveResults)?
  }

  private var boxes: [Box] = []
  /// Changes that the lists look at as soon as they may.
  private var noted = LiveChanges()
  /// A list was fetched within the `withSavepoint { }` under way, so that it may show changes that
  /// are reverted without a report.
  var isFetchedInSavepoint = false
  /// The number of the context's resets.
  private(set) var resetCount = 0

  /// Whether the context has no lists.
  var isEmpty: Bool { boxes.isEmpty }

  mutating func add(_ results: any LiveResults) {
    boxes.removeAll { $0.results == nil || $0.results === results }
    boxes.append(Box(results: results))
  }

  /// Notes a change that cannot be reported object by object.
  mutating func noteUnknown() { noted.isUnknown = true }

  /// Counts a reset.
  ///
  /// - Returns: the report of it.
  mutating func noteReset() -> LiveChanges {
    resetCount += 1
    var changes = LiveChanges()
    changes.reset = resetCount
    return changes
  }

  /// Notes merged objects that the merge does not report in full.
  mutating func note(_ events: GatheredEvents) {
    if events.isUnknown { noted.isUnknown = true }
    noted.suspects.formUnion(events.suspects)
  }

  /// The noted changes to report to the lists; this marks them as reported.
  mutating func takeNoted() -> LiveChanges {
    defer { noted = LiveChanges() }
    return noted
  }

  /// The lists that there are still.
  mutating func all() -> [any LiveResults] {
    boxes.removeAll { $0.results == nil }
    return boxes.compactMap(\.results)
  }
}

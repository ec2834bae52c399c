// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The stores of a group at one moment. An object is looked up only in its own store. Objects of
/// an entity are in the order of the stores' ranges, which is the order of their keys, and the
/// entries of an index are merged (`EntryMerge`).
///
/// A scan passes over the stores that have no object of the entity, or of any entity of the index:
/// if one store is left, it is asked directly.
///
/// ## Lifetime
/// It lives for a turn, as each `StoreView`: it keeps the files open, and old pages in them.
///
/// ## Isolation
/// One isolation at a time, as for every `Snapshot`.
final class GroupSnapshot: Snapshot {
  private let views: [StoreView]
  private let routes: GroupRoutes

  /// How many saves it shows of all stores together. Each save adds 1, so a snapshot that shows
  /// more than another one has a higher number.
  let generation: UInt64

  /// - Parameter views: by place.
  init(_ views: [StoreView], _ routes: GroupRoutes) {
    (self.views, self.routes) = (views, routes)
    generation = views.reduce(0) { $0 + $1.generation }
  }

  func generation(ofStoreAt place: Int) -> UInt64 { views[place].generation }

  func shows(_ tag: UInt64) -> Bool {
    let (place, generation) = CommitTag.parts(of: tag)
    return generation <= views[place].generation
  }

  func changedKeys(
    of generations: ClosedRange<UInt64>, ofStoreAt place: Int
  ) throws -> [ChangedKeys]? {
    try views[place].changedKeys(of: generations, ofStoreAt: 0)
  }

  func noteHolder(_ name: String) -> (any AnyObject & Sendable)? {
    HolderNotes(notes: views.compactMap { $0.noteHolder(name) })
  }

  private final class HolderNotes: Sendable {
    let notes: [any AnyObject & Sendable]

    init(notes: [any AnyObject & Sendable]) { self.notes = notes }
  }

  // MARK: - One object

  private func view(of key: ObjectKey) -> StoreView? { routes.place(of: key).map { views[$0] } }

  func record(for key: ObjectKey) throws -> StoredRecord? { try view(of: key)?.record(for: key) }

  func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? {
    try view(of: key)?.externalData(of: key, at: slot)
  }

  func contains(_ key: ObjectKey) throws -> Bool { try view(of: key)?.contains(key) ?? false }

  func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    try view(of: place.owner)?.scanLinks(at: place, body)
  }

  func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    try view(of: place.owner)?.link(at: place, to: target)
  }

  func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    var rest = keys[...]
    while let first = rest.first {
      let range = first.serialRange
      let run = rest.prefix { $0.serialRange == range }
      rest = rest.dropFirst(run.count)
      if let view = view(of: first) {
        try view.visitRecords(of: Array(run), body)
      } else {
        for key in run { try body(key, 0, nil) }
      }
    }
  }

  // MARK: - Objects of an entity

  /// The views that have objects of an entity, ascending by their keys.
  private func views(with entity: EntityNumber) throws -> [StoreView] {
    try routes.ascending.map { views[$0] }.filter { try $0.count(of: entity) > 0 }
  }

  func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    var step = ScanStep.more
    for view in try views(with: entity) where step == .more {
      try view.scanRecords(of: entity) { key, generation, record in
        step = try body(key, generation, record)
        return step
      }
    }
  }

  func scanRecords(
    of entity: EntityNumber, passing test: RecordTest,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws -> Int {
    var step = ScanStep.more
    var count = 0
    for view in try views(with: entity) where step == .more {
      count += try view.scanRecords(of: entity, passing: test) { key, generation, record in
        step = try body(key, generation, record)
        return step
      }
    }
    return count
  }

  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    var step = ScanStep.more
    for view in try views(with: entity) where step == .more {
      try view.scanKeys(of: entity) { key in
        step = try body(key)
        return step
      }
    }
  }

  func count(of entity: EntityNumber) throws -> Int {
    try views.reduce(0) { try $0 + $1.count(of: entity) }
  }

  // MARK: - An index

  /// The views that have objects with entries in an index.
  private func views(withIndex index: PropertyNumber) throws -> [StoreView] {
    let entities = views[0].schema.entities(with: index)
    return try views.filter { view in
      try entities.isEmpty || entities.contains { try view.count(of: $0) > 0 }
    }
  }

  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    let views = try views(withIndex: index)
    if views.count == 1 {
      return try views[0].scanIndex(index, in: range, isReversed: isReversed, body)
    }
    var merge = EntryMerge(views, index, in: range, isReversed: isReversed)
    try merge.run(body)
  }

  func countEntries(of index: PropertyNumber, in range: KeyRange) throws -> Int {
    try views(withIndex: index).reduce(0) { try $0 + $1.countEntries(of: index, in: range) }
  }

  func countEntries(
    of index: PropertyNumber, in range: KeyRange, atMost most: Int
  ) throws -> Int? {
    var count = 0
    for view in try views(withIndex: index) {
      guard let found = try view.countEntries(of: index, in: range, atMost: most - count) else {
        return nil
      }
      count += found
    }
    return count
  }

  func scanRuns(
    of index: PropertyNumber, in range: KeyRange,
    _ body: (_ value: UnsafeRawBufferPointer, _ entryCount: Int) throws -> ScanStep
  ) throws {
    let views = try views(withIndex: index)
    if views.count == 1 { return try views[0].scanRuns(of: index, in: range, body) }
    // Merged, each entry is a run.
    var merge = EntryMerge(views, index, in: range, isReversed: false)
    try merge.run { entry, _ in
      try body(UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)), 1)
    }
  }

  func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    try views(withIndex: index).reduce(into: WordStatistics()) { sum, view in
      sum.add(try view.wordStatistics(of: index))
    }
  }

  func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries {
    let views = try views(withIndex: index)
    guard views.count == 1 else { return SkippedEntries(count: 0, rest: range) }
    return try views[0].skipEntries(of: index, in: range, isReversed: isReversed, upTo: most)
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

// Walks over the store and all pending changes together. The stored state of an object is left out
// if any layer has a change of it, and the layers' matches are merged in. Order, offset and limit
// are therefore correct at any depth of nesting. O(entries + pending matches).

extension ReadView {
  /// Walks the entries of an index within `range`, as if all changes were saved. The order is
  /// ascending, or descending if `isReversed`.
  ///
  /// - Returns: the number of entries that were read, including stale ones.
  func walkIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws -> Int {
    var count = 0
    if layers.isEmpty {
      try snapshot.scanIndex(index, in: range, isReversed: isReversed) { entry, key in
        count += 1
        return try body(entry, key)
      }
      return count
    }
    let lookUp = lookUp
    var pending = PendingEntries(lookUp, index: index, in: range, isReversed: isReversed)
    // The entries that are passed to `body` are in the runs of `pending`.
    defer { withExtendedLifetime(pending) {} }
    var step = ScanStep.more
    try snapshot.scanIndex(index, in: range, isReversed: isReversed) { entry, key in
      while step == .more, pending.isNext(before: entry) {
        count += 1
        try watch?()
        step = try pending.next(body) ?? .more
      }
      if step == .stop { return step }
      count += 1
      if !lookUp.isTouched(key) { step = try body(entry, key) }
      return step
    }
    while step == .more, let next = try pending.next(body) {
      count += 1
      try watch?()
      step = next
    }
    return count
  }

  /// Calls `body` with the row of each object in the view, in the order of `keys`. The row is nil
  /// for an object that does not exist.
  func visit(_ keys: [ObjectKey], _ body: (ObjectKey, Row?) throws -> Void) throws {
    guard let entity = keys.first?.entity else { return }
    // Most keys belong to one entity.
    let firstLayout = schema.layout(of: entity).map { Uncounted($0) }
    func show(
      _ key: ObjectKey, _ generation: UInt64, _ bytes: UnsafeRawBufferPointer?
    ) throws {
      guard let bytes else { return try body(key, nil) }
      if key.entity == entity, let firstLayout {
        return try body(key, firstLayout.with { Row(key, generation, bytes, $0) })
      }
      try body(key, schema.layout(of: key.entity).flatMap { Row(key, generation, bytes, $0) })
    }
    if layers.isEmpty { return try snapshot.visitRecords(of: keys, show) }
    let lookUp = lookUp
    var visited = VisitedKeys(keys, lookUp)
    func showChanged(_ number: Int, _ place: PendingLookUp.Place) throws {
      try watch?()
      let key = keys[number]
      guard let stored = lookUp.record(at: place), let layout = schema.layout(of: key.entity)
      else { return try body(key, nil) }
      try stored.record.withRow(of: key, layout, generation: stored.generation) {
        try body(key, $0)
      }
    }
    if !visited.unchanged.isEmpty {
      try snapshot.visitRecords(of: visited.unchanged) { key, generation, record in
        try visited.advance(showChanged)
        try show(key, generation, record)
      }
    }
    try visited.advance(showChanged)
  }

  /// Walks the objects of an entity as if all changes were saved, in ascending order of keys.
  ///
  /// - Parameter test: a test of the entity's records, which the objects pass.
  /// - Important: the bytes are valid during the call of `body`.
  /// - Returns: the number of records that were read, including stale ones.
  func walkRecords(
    of entity: EntityNumber, passing test: RecordTest, _ body: (Row) throws -> ScanStep
  ) throws -> Int {
    guard let layout = schema.layout(of: entity) else { return 0 }
    let pending = pendingObjects(of: entity)
    if pending.isEmpty {
      return try snapshot.scanRecords(of: entity, passing: test) { key, generation, bytes in
        try Row(key, generation, bytes, layout).map(body) ?? .more
      }
    }
    var count = 0
    var walk = PendingWalk(objects: pending)
    func show(_ key: ObjectKey, _ change: Change) throws -> ScanStep {
      guard let record = change.record else { return .more }
      count += 1
      try watch?()
      return try record.withRow(of: key, layout, generation: change.base?.generation ?? 0) { row in
        test.passes(at: row.start) ? try body(row) : .more
      }
    }
    count += try snapshot.scanRecords(of: entity, passing: test) { key, generation, bytes in
      try walk.go(to: key, show)
      if walk.shows(key) { walk.step = try Row(key, generation, bytes, layout).map(body) ?? .more }
      return walk.step
    }
    try walk.go(to: nil, show)
    return count
  }

  /// Walks the keys of an entity's objects as if all changes were saved, in ascending order. No
  /// record is read.
  ///
  /// - Returns: the number of keys that were read, including stale ones.
  func walkKeys(
    of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep
  ) throws -> Int {
    var count = 0
    var walk = PendingWalk(objects: pendingObjects(of: entity))
    func show(_ key: ObjectKey, _ change: Change) throws -> ScanStep {
      count += 1
      try watch?()
      return try change.kind == .delete ? .more : body(key)
    }
    try snapshot.scanKeys(of: entity) { key in
      count += 1
      try walk.go(to: key, show)
      if walk.shows(key) { walk.step = try body(key) }
      return walk.step
    }
    try walk.go(to: nil, show)
    return count
  }

  /// Returns the pending changes of one entity's objects, deletes included, in ascending order of
  /// keys. O(pending).
  func pendingObjects(of entity: EntityNumber) -> [(key: ObjectKey, change: Change)] {
    var objects: [(key: ObjectKey, change: Change)] = []
    for (depth, segment) in layers.segments.enumerated() {
      guard let span = segment.changes.spans.first(where: { $0.entity == entity }) else { continue }
      for place in span.range {
        let key = segment.changes.keys[place]
        if layers.isShadowed(key, above: depth) { continue }
        objects.append((key, segment.changes.values[place]))
      }
    }
    return layers.segments.count > 1 ? objects.sorted { $0.key < $1.key } : objects
  }
}

/// The keys of a visit. The objects without pending changes are looked up in the store together;
/// the others are merged into that walk, in the order of the keys.
private struct VisitedKeys {
  /// The keys of the objects without pending changes.
  private(set) var unchanged: [ObjectKey] = []
  /// The numbers of the other keys, ascending, and where their changes are.
  private var changed: [(number: Int, place: PendingLookUp.Place)] = []
  /// How many of `changed` were shown.
  private var shownCount = 0
  /// The number of the next key.
  private var next = 0

  init(_ keys: [ObjectKey], _ lookUp: PendingLookUp) {
    unchanged.reserveCapacity(keys.count)
    for (number, key) in keys.enumerated() {
      if let place = lookUp.place(of: key) {
        if changed.isEmpty { changed.reserveCapacity(keys.count - number) }
        changed.append((number, place))
      } else {
        unchanged.append(key)
      }
    }
  }

  /// Calls `show` with the changed objects before the next unchanged one, and passes over that one.
  mutating func advance(_ show: (Int, PendingLookUp.Place) throws -> Void) rethrows {
    while shownCount < changed.count, changed[shownCount].number == next {
      shownCount += 1
      next += 1
      try show(changed[shownCount - 1].number, changed[shownCount - 1].place)
    }
    next += 1
  }
}

/// The pending objects of an entity, merged into a walk over the store's objects.
private struct PendingWalk {
  /// The pending objects, in ascending order of keys.
  let objects: [(key: ObjectKey, change: Change)]
  var next = 0
  var step = ScanStep.more

  /// Calls `show` with the pending objects before the store's object `key`; with all that are left
  /// if `key` is nil.
  mutating func go(
    to key: ObjectKey?, _ show: (ObjectKey, Change) throws -> ScanStep
  ) rethrows {
    while step == .more, next < objects.count, key.map({ objects[next].key < $0 }) ?? true {
      next += 1
      step = try show(objects[next - 1].key, objects[next - 1].change)
    }
  }

  /// Whether the store's object comes next; false if it is stale, because the pending object
  /// replaces it.
  func shows(_ key: ObjectKey) -> Bool {
    step == .more && (next == objects.count || objects[next].key != key)
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// Two objects that have one value in a unique index after the save.
struct Collision {
  let index: IndexSchema
  /// One that the save inserts or updates.
  let key: ObjectKey
  /// The store's, if it has one; else the save's first.
  let holder: ObjectKey
}

/// Checks unique values over the state after the save, and asks the merge policy to resolve each
/// collision.
///
/// ## Isolation
/// The writer thread.
struct ConstraintCheck {
  let state: StateAfterSave
  /// The collisions that are not resolved yet.
  var collisions: [Collision] = []
  var mistakes: [MergePolicy.Mistake] = []
  var violations: [StoreError.UniquenessViolation] = []
  /// The slots that a survivor has from losers.
  var gained: [ObjectKey: SlotSet] = [:]
  /// The objects whose value in an index was reverted. Each is reverted once.
  var reverted: Set<Reversion> = []

  struct Reversion: Hashable {
    let key: ObjectKey
    let index: PropertyNumber
  }

  init(_ state: StateAfterSave) { self.state = state }

  // MARK: - Finding

  mutating func find() throws {
    for changes in state.plan.indexes {
      guard let index = uniqueIndex(changes.number) else { continue }
      var run = UniquenessRun(index: index)
      try changes.added.forEachEntry { try check($0, &run) }
    }
  }

  private func uniqueIndex(_ number: PropertyNumber) -> IndexSchema? {
    state.plan.sections.lazy.flatMap(\.entity.indexes).first {
      $0.number == number && $0.isUnique
    }
  }

  /// The entries of one unique index as they pass by in order: those with the value of the last
  /// one.
  struct UniquenessRun {
    let index: IndexSchema
    var value: [UInt8] = []
    var holders: [ObjectKey] = []
    /// The store's object with the value, once it was looked for; of a cut value nothing is known.
    var stored: ObjectKey??

    var isCut: Bool { value.count >= KeyEncoder.valueByteCountMax }
  }

  /// Checks one entry that the save adds against those before it and against the store's.
  private mutating func check(
    _ entry: UnsafeRawBufferPointer, _ run: inout UniquenessRun
  ) throws {
    let value = UnsafeRawBufferPointer(
      rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount))
    guard let key = KeyEncoder.objectKey(ofEntry: entry), value.contains(where: { $0 != 0 }) else {
      // Nil may repeat. Its bytes are zero, and no value has such bytes.
      return
    }
    if run.index.isCompound, try isIncomplete(key, run.index) { return }
    if !run.value.withUnsafeBytes({ $0.isEqual(to: value) }) {
      run.value = [UInt8](value)
      run.holders = []
      run.stored = nil
    }
    if let holder = try holder(besides: key, &run) {
      collisions.append(Collision(index: run.index, key: key, holder: holder))
    }
    run.holders.append(key)
  }

  private func holder(besides key: ObjectKey, _ run: inout UniquenessRun) throws -> ObjectKey? {
    if run.isCut {
      return try storedHolder(besides: key, run)
        ?? run.holders.first { try hasEqualValue(key, $0, run.index) }
    }
    let stored = try run.stored ?? storedHolder(besides: key, run)
    run.stored = .some(stored)
    return stored == key ? run.holders.first : stored ?? run.holders.first
  }

  private func isIncomplete(_ key: ObjectKey, _ index: IndexSchema) throws -> Bool {
    guard let layout = state.schema.entity(key.entity)?.layout,
      let record = try state.record(of: key)
    else { return true }
    return index.isIncomplete(record, layout)
  }

  /// An object in the store that has the value and keeps it.
  private func storedHolder(besides key: ObjectKey, _ run: UniquenessRun) throws -> ObjectKey? {
    var holder: ObjectKey?
    let range = KeyRange(prefix: run.value)
    try state.view.scanIndex(run.index.number, in: range, isReversed: false) { entry, other in
      guard other != key, !run.holders.contains(other),
        entry.count == run.value.count + KeyEncoder.objectKeyByteCount,
        try keeps(other, run), try !run.isCut || hasEqualValue(key, other, run.index)
      else { return .more }
      holder = other
      return .stop
    }
    return holder
  }

  private func keeps(_ key: ObjectKey, _ run: UniquenessRun) throws -> Bool {
    switch state.outcome(of: key) {
    case .untouched: return true
    case .deleted: return false
    case .record(let record):
      guard let layout = state.schema.entity(key.entity)?.layout else { return false }
      var value: [UInt8] = []
      run.index.append(valueOf: record, layout, to: &value)
      return value == run.value
    }
  }

  /// Whether two objects have the same value, and no part of it is nil.
  func hasEqualValue(
    _ left: ObjectKey, _ right: ObjectKey, _ index: IndexSchema
  ) throws -> Bool {
    guard let leftEntity = state.schema.entity(left.entity),
      let rightEntity = state.schema.entity(right.entity),
      let left = try state.record(of: left), let right = try state.record(of: right)
    else { return false }
    return index.hasEqualValue(left, leftEntity, right, rightEntity)
  }
}

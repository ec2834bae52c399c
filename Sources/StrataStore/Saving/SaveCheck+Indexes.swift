// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Which index entries come and go, and that unique ones stay unique.

extension SaveCheck {
  mutating func planIndexes() {
    if let runs = completeRuns() {
      plan.runs = runs
      return
    }
    for section in plan.sections {
      for index in section.entity.indexes {
        var changes = plan.indexes.removeValue(forKey: index.number) ?? .init()
        for item in section.items { Self.add(item, to: &changes, index, section.entity.layout) }
        plan.indexes[index.number] = changes
      }
    }
    for number in plan.indexes.keys {
      plan.indexes[number]?.removed.sort()
      plan.indexes[number]?.added.sort()
    }
  }

  /// The runs of the save's only segment, if they are just what the indexes gain: when all its
  /// objects are new to the store. The saver has encoded and sorted them already.
  private func completeRuns() -> [PropertyNumber: IndexRun]? {
    let changeSet = save.changeSet
    guard changeSet.segments.count == 1, plan.merged.isEmpty else { return nil }
    var newCount = 0
    for section in plan.sections {
      newCount += section.items.count { $0.old == nil }
    }
    return newCount == changeSet.segments[0].changes.count ? changeSet.segments[0].runs : nil
  }

  private static func add(
    _ item: SavePlan.Item, to changes: inout SavePlan.EntryChanges, _ index: IndexSchema,
    _ layout: RecordLayout
  ) {
    if let old = item.old, let new = item.new, hasSameValue(old, new, index, layout) { return }
    if let old = item.old {
      changes.removed.append(item.key) { encode(old, index, layout, to: &$0) }
    }
    if let new = item.new {
      changes.added.append(item.key) { encode(new, index, layout, to: &$0) }
    }
  }

  private static func encode(
    _ record: Record, _ index: IndexSchema, _ layout: RecordLayout, to bytes: inout [UInt8]
  ) {
    KeyEncoder.append(slot: record.slot(index.slot, layout), to: &bytes)
    withExtendedLifetime(record) {}
  }

  private static func hasSameValue(
    _ old: Record, _ new: Record, _ index: IndexSchema, _ layout: RecordLayout
  ) -> Bool {
    defer { withExtendedLifetime((old, new)) {} }
    switch (old.slot(index.slot, layout).rawBytes, new.slot(index.slot, layout).rawBytes) {
    case (nil, nil): return true
    case (let old?, let new?): return old.isEqual(to: new)
    default: return false
    }
  }

  // MARK: - Uniqueness, over the state after the save

  mutating func checkUniqueness() throws {
    for (number, changes) in plan.indexes {
      guard let index = uniqueIndex(number) else { continue }
      var checker = UniquenessRun(index: index)
      try changes.added.walk { entry, _ in try check(entry, &checker) }
    }
    for (number, run) in plan.runs {
      guard let index = uniqueIndex(number) else { continue }
      var checker = UniquenessRun(index: index)
      for position in run.entries.indices {
        try run.withBytes(at: position) { try check($0, &checker) }
      }
    }
  }

  private func uniqueIndex(_ number: PropertyNumber) -> IndexSchema? {
    for section in plan.sections {
      for index in section.entity.indexes where index.number == number {
        return index.isUnique ? index : nil
      }
    }
    return nil
  }

  /// The entries of one unique index as they pass by in order: those with the value of the last one.
  struct UniquenessRun {
    let index: IndexSchema
    var value: [UInt8] = []
    var holders: [ObjectKey] = []
  }

  /// Checks one entry that the save adds against those before it and against the store's.
  private mutating func check(
    _ entry: UnsafeRawBufferPointer, _ run: inout UniquenessRun
  ) throws {
    let value = UnsafeRawBufferPointer(
      rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount))
    guard let key = KeyEncoder.objectKey(ofEntry: entry), value.contains(where: { $0 != 0 }) else {
      // nil, which may repeat: its bytes are zero, and those of no value are.
      return
    }
    if !run.value.withUnsafeBytes({ $0.isEqual(to: value) }) {
      run.value = [UInt8](value)
      run.holders = []
    }
    let other =
      try run.holders.first { try hasEqualValue(key, $0, run) } ?? storedHolder(of: key, run)
    run.holders.append(key)
    guard let other, let entity = schema.entity(key.entity) else { return }
    violations.append(
      UniquenessViolation(
        objectID: objectID(key), entity: entity.description.name,
        attribute: entity.description.properties[run.index.slot].name, existing: objectID(other)))
  }

  /// An object in the store that has the value and keeps it.
  private func storedHolder(of key: ObjectKey, _ run: UniquenessRun) throws -> ObjectKey? {
    var holder: ObjectKey?
    try view.scanIndex(run.index.number, in: KeyRange(prefix: run.value), isReversed: false) {
      entry, other in
      guard other != key, !run.holders.contains(other),
        entry.count == run.value.count + KeyEncoder.objectKeyByteCount,
        try keeps(other, run), try hasEqualValue(key, other, run)
      else { return .more }
      holder = other
      return .stop
    }
    return holder
  }

  private func keeps(_ key: ObjectKey, _ run: UniquenessRun) throws -> Bool {
    switch outcome(of: key) {
    case .untouched: return true
    case .deleted: return false
    case .record(let record):
      guard let layout = schema.entity(key.entity)?.layout else { return false }
      var value: [UInt8] = []
      Self.encode(record, run.index, layout, to: &value)
      return value == run.value
    }
  }

  /// Whether two objects whose entries have the same bytes have the same value: bytes that were cut
  /// say nothing of the rest.
  private func hasEqualValue(
    _ left: ObjectKey, _ right: ObjectKey, _ run: UniquenessRun
  ) throws -> Bool {
    if run.value.count < KeyEncoder.valueByteCountMax { return true }
    return try value(of: left, run) == value(of: right, run)
  }

  private func value(of key: ObjectKey, _ run: UniquenessRun) throws -> Value {
    guard let layout = schema.entity(key.entity)?.layout else { return .null }
    var arena = RecordArena()
    let record: Record? =
      switch outcome(of: key) {
      case .record(let record): record
      case .deleted: nil
      case .untouched: try view.record(of: key, into: &arena)?.record
      }
    return record?.value(at: run.index.slot, layout: layout, store: schema.store) ?? .null
  }
}

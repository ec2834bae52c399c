// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
package import StrataModel
import StrataPrimitives
package import StrataRecord

// Records of many objects, together and by a walk.

extension StoreView {
  // MARK: - Together

  package func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    var place = 0
    while place < keys.count {
      // Most often all are of one entity.
      let entity = keys[place].entity
      guard let tree = trees.records(of: entity), let layout = schema.layout(of: entity) else {
        try body(keys[place], 0, nil)
        place += 1
        continue
      }
      let first = place
      while place < keys.count, keys[place].entity == entity { place += 1 }
      try visitRecords(of: keys[first..<place], in: tree, layout, body)
    }
  }

  /// Shows each of these objects of one entity.
  private func visitRecords(
    of keys: ArraySlice<ObjectKey>, in tree: Tree, _ layout: RecordLayout,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    func show(_ key: ObjectKey, _ envelope: UnsafeRawBufferPointer?) throws {
      guard let envelope else { return try body(key, 0, nil) }
      let (generation, record) = try check(envelope, of: key, layout)
      try keepingUpgraded { try body(key, generation, record) }
    }
    let groupCountMax = RecordTree.lookUpCountMax
    try withUnsafeTemporaryAllocation(
      of: RecordTree.LookUp.self, capacity: min(keys.count, groupCountMax)
    ) { lookUps in
      var rest = keys
      while !rest.isEmpty {
        let group = rest.prefix(groupCountMax)
        rest = rest.dropFirst(groupCountMax)
        for (index, key) in group.enumerated() {
          lookUps.initializeElement(at: index, to: RecordTree.LookUp(key.serial))
        }
        let found = UnsafeMutableBufferPointer(rebasing: lookUps[..<group.count])
        let areFound = try reader.readingRecords(tree) { (records) throws(LMDBError) in
          try records.find(found)
        }
        for (index, key) in group.enumerated() {
          try show(key, areFound ? found[index].value : envelope(of: key, in: tree))
        }
      }
    }
  }

  package func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    guard let tree = trees.records(of: entity), let layout = schema.layout(of: entity) else {
      return
    }
    try walk(tree) { serial, envelope in
      let key = ObjectKey(entity: entity, serial: serial)
      let (generation, record) = try check(envelope, of: key, layout)
      return try keepingUpgraded { try body(key, generation, record) == .more }
    }
  }

  package func scanRecords(
    of entity: EntityNumber, passing test: RecordTest,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws -> Int {
    guard let tree = trees.records(of: entity), let layout = schema.layout(of: entity) else {
      return 0
    }
    var count = 0
    try walk(tree) { serial, envelope in
      count &+= 1
      let key = ObjectKey(entity: entity, serial: serial)
      let (generation, record) = try check(envelope, of: key, layout)
      if !test.passes(record) { return true }
      return try keepingUpgraded { try body(key, generation, record) == .more }
    }
    return count
  }

  package func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    guard let tree = trees.records(of: entity) else { return }
    try walk(tree) { serial, _ in try body(ObjectKey(entity: entity, serial: serial)) == .more }
  }

  /// Calls `body` with all keys of an entity, ascending, some hundred at a time. No read of the
  /// tree is under way meanwhile, so `body` may write to it.
  func forEachKeys(of entity: EntityNumber, _ body: ([ObjectKey]) throws -> Void) throws {
    var keys: [ObjectKey] = []
    try scanKeys(of: entity) { key in
      keys.append(key)
      return .more
    }
    let sliceCount = 512
    for start in stride(from: 0, to: keys.count, by: sliceCount) {
      try body(Array(keys[start..<min(start + sliceCount, keys.count)]))
    }
  }

  /// The keys of an entity's objects in all pages that can be read, ascending: for a tree that
  /// cannot be walked, because pages of it are damaged.
  package func readableKeys(of entity: EntityNumber) -> [ObjectKey] {
    guard let tree = trees.records(of: entity) else { return [] }
    let numbers = try? reader.readingRecords(tree) { (records) throws(LMDBError) in
      records.readableNumbers()
    }
    return (numbers ?? []).filter { $0 > 0 }.map { ObjectKey(entity: entity, serial: $0) }
  }

  /// Calls `body` with each entry of a tree of records, until it returns false.
  private func walk(
    _ tree: Tree, _ body: (_ serial: UInt64, _ envelope: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    do {
      try reader.records(of: tree).counted.scan(body)
    } catch let error as LMDBError {
      throw StoreError(error, tree: trees.name(of: tree))
    }
  }
}

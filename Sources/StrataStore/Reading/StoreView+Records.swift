// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

// Records of many objects, together and by a walk: in a read transaction from the pages of the file, in a
// write transaction by LMDB.

extension StoreView {
  // MARK: - Together

  /// Calls `body` with the record of each of `keys`, in their order, where it lies, checked; nil if there
  /// is none.
  func visitRecords(
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
      try body(key, generation, record)
    }
    let groupCountMax = MappedTree.lookUpCountMax
    try withUnsafeTemporaryAllocation(
      of: MappedTree.LookUp.self, capacity: min(keys.count, groupCountMax)
    ) { lookUps in
      var rest = keys
      while !rest.isEmpty {
        let group = rest.prefix(groupCountMax)
        rest = rest.dropFirst(groupCountMax)
        guard let found = try find(group, in: tree, lookUps) else {
          for key in group { try show(key, envelope(of: key, in: tree)) }
          continue
        }
        for (key, lookUp) in zip(group, found) { try show(key, lookUp.value) }
      }
    }
  }

  /// Looks these objects up together; nil if they are to be looked up one by one: also where a page is
  /// damaged, so that those of others are found.
  ///
  /// - Parameter room: for at least as many look-ups.
  private func find(
    _ keys: ArraySlice<ObjectKey>, in tree: Tree,
    _ room: UnsafeMutableBufferPointer<MappedTree.LookUp>
  ) throws(StoreError) -> UnsafeMutableBufferPointer<MappedTree.LookUp>? {
    do throws(LMDBError) {
      guard let mapped = try mapped(tree, for: keys.count) else { return nil }
      for (index, key) in keys.enumerated() {
        room.initializeElement(at: index, to: MappedTree.LookUp(key.serial))
      }
      let lookUps = UnsafeMutableBufferPointer(rebasing: room[..<keys.count])
      try mapped.reading { (tree) throws(LMDBError) in try tree.find(lookUps) }
      return lookUps
    } catch .corrupted, .pageNotFound {
      return nil
    } catch {
      throw StoreError(error, tree: trees.name(of: tree))
    }
  }

  /// Every record of one entity, ascending by key.
  func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    guard let tree = trees.records(of: entity), let layout = schema.layout(of: entity) else {
      return
    }
    try walk(tree) { serial, envelope in
      let key = ObjectKey(entity: entity, serial: serial)
      let (generation, record) = try check(envelope, of: key, layout)
      return try body(key, generation, record)
    }
  }

  /// The key of every record of one entity, ascending; the records are not checked.
  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    guard let tree = trees.records(of: entity) else { return }
    try walk(tree) { serial, _ in try body(ObjectKey(entity: entity, serial: serial)) }
  }

  /// Calls `body` with each entry of a tree of records.
  @inline(__always)
  private func walk(
    _ tree: Tree, _ body: (_ serial: UInt64, _ envelope: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    do {
      if let mapped = try mapped(tree, for: .max) {
        var walk = try mapped.takeUnretainedValue().walk()
        while try walk.next(), try body(walk.number, walk.value) == .more {}
        return
      }
    } catch let error as LMDBError {
      throw StoreError(error, tree: trees.name(of: tree))
    }
    // What lies in a page that is being written is not of the map.
    var passed = isReading ? PassedPages() : nil
    try scan(tree, in: KeyRange(), isReversed: false) { bytes, envelope in
      guard let serial = RecordKey.serial(of: bytes) else {
        throw damaged(tree, "a key has \(bytes.count) bytes")
      }
      passed?.pass(envelope)
      return try body(serial, envelope)
    }
  }

  // MARK: - Pages

  /// A tree of records as it lies in the file's map; nil if it is to be read through LMDB: in a write
  /// transaction, in a file that is not as it is known, and if so few look-ups are to come that finding
  /// the root does not pay.
  ///
  /// - Parameter count: of look-ups; 2 or more for a walk.
  @inline(__always)
  func mapped(
    _ tree: Tree, for count: Int
  ) throws(LMDBError) -> Unmanaged<MappedTree>? {
    guard isReading else { return nil }
    let known = tree.index < mapped.count ? mapped[tree.index] : nil
    guard let mapped = known ?? map(tree) else { return nil }
    return try mapped.reading { (tree) throws(LMDBError) in try tree.isReady(for: count) }
      ? mapped : nil
  }

  @inline(never)
  private func map(_ tree: Tree) -> Unmanaged<MappedTree>? {
    guard let reading = transaction as? ReadTransaction else { return nil }
    let made = Unmanaged.passRetained(
      MappedTree(tree, named: trees.name(of: tree), in: reading))
    while mapped.count <= tree.index { mapped.append(nil) }
    mapped[tree.index] = made
    return made
  }
}

extension Unmanaged where Instance == MappedTree {
  /// `body` with the tree, which the view holds for its length.
  @inline(__always)
  func reading<Result>(
    _ body: (MappedTree) throws(LMDBError) -> Result
  ) throws(LMDBError) -> Result {
    try _withUnsafeGuaranteedRef { tree in
      Swift.Result { () throws(LMDBError) in try body(tree) }
    }.get()
  }
}

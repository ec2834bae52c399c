// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// Moves the bytes of external attributes that have another number now, and removes the bytes of
/// attributes that are gone.
///
/// ## Isolation
/// The writer thread.
struct ExternalTransfer {
  private let former: StoredModel
  private let schema: Schema
  private let moves: [EntityNumber: PropertyMoves]

  /// - Parameter moves: by entity. Entities that are gone are missing.
  init(from former: StoredModel, to schema: Schema, _ moves: [EntityNumber: PropertyMoves]) {
    (self.former, self.schema, self.moves) = (former, schema, moves)
  }

  /// - Throws: `LMDBError`.
  func run(in transaction: WriteTransaction) throws {
    for (name, entity) in former.entities.byName.sorted(by: { $0.key < $1.key })
    where !entity.isAbstract {
      guard let number = former.number(of: name), let ofEntity = moves[number],
        let present = schema.entity(number), let slots = former.slots(of: name)
      else { continue }
      let external = present.layout.externalSlots
      var changed: [PropertyNumber: PropertyNumber?] = [:]
      for slot in slots where slot.isExternal && !slot.isTransient {
        let later = ofEntity[slot.number].flatMap { later in
          present.numbers.firstIndex(of: later).flatMap { place in
            external.contains(place) && !present.layout.transientSlots.contains(place)
              ? later : nil
          }
        }
        if later != slot.number { changed.updateValue(later, forKey: slot.number) }
      }
      if changed.isEmpty { continue }
      guard let tree = try transaction.tree(named: TreeKind.external.name(of: number)) else {
        continue
      }
      try Self.move(changed, in: tree, transaction)
    }
  }

  /// - Parameter changed: the later numbers; nil for bytes that go.
  private static func move(
    _ changed: [PropertyNumber: PropertyNumber?], in tree: Tree, _ transaction: WriteTransaction
  ) throws {
    var keys: [ExternalKey] = []
    do {
      var cursor = try transaction.cursor(in: tree)
      var isThere = try cursor.first()
      while isThere {
        if let key = ExternalKey(cursor.key), changed[key.property] != nil { keys.append(key) }
        isThere = try cursor.next()
      }
    }
    // Object by object: a later number may be the former one of another attribute.
    var first = 0
    while first < keys.count {
      let end = keys[first...].firstIndex { $0.serial != keys[first].serial } ?? keys.count
      var moved: [(key: ExternalKey, bytes: [UInt8])] = []
      for key in keys[first..<end] {
        try key.withBytes { bytes in
          if case let later?? = changed[key.property],
            let value = try transaction.get(bytes, in: tree)
          {
            moved.append((key.with(later), [UInt8](value)))
          }
          try transaction.delete(bytes, in: tree)
        }
      }
      for (key, bytes) in moved {
        try key.withBytes { key in
          try bytes.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
        }
      }
      first = end
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// Moves the links of to-many relationships that another entity declares now to the tree of that
/// entity, and removes the links of relationships that are gone.
///
/// Links are in the tree of the entity that declares their relationship, under its number. A link
/// goes where the entity of its owner leads: a superentity's relationship may have become one of
/// each of its subentities.
///
/// Two relationships may exchange their numbers. So all links that move are set aside before the
/// first one gets its new place. They are set aside in the tree to which they move, under the
/// property number 0, which no property has.
///
/// ## Isolation
/// The writer thread.
struct LinkTransfer {
  private let former: StoredModel
  private let schema: Schema
  private let trees: Trees
  private let moves: [EntityNumber: PropertyMoves]

  /// - Parameters:
  ///   - schema: the schema of the new model; all of its trees are there.
  ///   - moves: by entity. Entities that are gone are missing.
  init(
    from former: StoredModel, to schema: Schema, _ trees: Trees,
    _ moves: [EntityNumber: PropertyMoves]
  ) {
    (self.former, self.schema, self.trees, self.moves) = (former, schema, trees, moves)
  }

  /// - Throws: `LMDBError`.
  func run(in transaction: WriteTransaction) throws {
    var places: [Tree] = []
    for (name, entity) in former.entities.byName.sorted(by: { $0.key < $1.key }) {
      for relationship in entity.relationships {
        guard let number = former.numbers.number(ofProperty: relationship.name, declaredBy: name),
          let entityNumber = former.number(of: name),
          former.entities.isStoredAsLinks(relationship),
          !stays(number, declaredBy: name, entityNumber),
          let tree = try transaction.tree(named: TreeKind.entries.name(of: entityNumber))
        else { continue }
        try setAside(number, from: tree, &places, in: transaction)
        // Without an inverse, the links are mirrored under another number of the same tree.
        if relationship.inverse == nil {
          try setAside(number.reversed, from: tree, &places, in: transaction)
        }
      }
    }
    for tree in places { try place(linksOf: tree, in: transaction) }
  }

  /// Whether all links of a relationship stay in their tree, under their number.
  private func stays(
    _ number: PropertyNumber, declaredBy name: String, _ entity: EntityNumber
  ) -> Bool {
    trees.entries(of: number).map { trees.name(of: $0) } == TreeKind.entries.name(of: entity)
      && former.family(of: name).allSatisfy { moves[$0].map { $0[number] == number } ?? true }
  }

  /// Removes the links of a relationship that do not stay, and sets aside the links that move.
  ///
  /// - Parameters:
  ///   - number: of a relationship, or reversed.
  ///   - places: the trees in which links are set aside.
  private func setAside(
    _ number: PropertyNumber, from tree: Tree, _ places: inout [Tree],
    in transaction: WriteTransaction
  ) throws {
    let (forward, isReversed) = (number.forward, number != number.forward)
    var editor = try transaction.editCursor(in: tree)
    let prefix = EntryKey.prefix(number)
    var isThere = try prefix.withUnsafeBytes { try editor.cursor.seek(atOrAbove: $0) }
    while isThere, editor.cursor.key.starts(with: prefix) {
      let key = [UInt8](editor.cursor.key)
      let owner = EntryKey.entity(ofLink: key, isOwner: !isReversed)
      let later = owner.flatMap { moves[$0]?[forward] }
      let laterTree = later.flatMap { trees.entries(of: $0) }
      if later == forward, laterTree == tree {
        isThere = try editor.cursor.next()
        continue
      }
      let value = [UInt8](editor.cursor.value)
      if let later, let laterTree {
        if !places.contains(laterTree) { places.append(laterTree) }
        let moved = EntryKey.prefix(isReversed ? later.reversed : later) + key.dropFirst(2)
        try Self.put(EntryKey.prefixOfMoved + moved, value, in: laterTree, transaction)
      }
      isThere = try key.withUnsafeBytes { key in
        try editor.remove(key)
        return try editor.cursor.seek(atOrAbove: key)
      }
    }
  }

  /// Gives the links that are set aside in a tree their places.
  private func place(linksOf tree: Tree, in transaction: WriteTransaction) throws {
    var editor = try transaction.editCursor(in: tree)
    let prefix = EntryKey.prefixOfMoved
    var isThere = try prefix.withUnsafeBytes { try editor.cursor.seek(atOrAbove: $0) }
    while isThere, editor.cursor.key.starts(with: prefix) {
      let key = [UInt8](editor.cursor.key)
      let value = [UInt8](editor.cursor.value)
      try Self.put(Array(key.dropFirst(prefix.count)), value, in: tree, transaction)
      isThere = try key.withUnsafeBytes { key in
        try editor.remove(key)
        return try editor.cursor.seek(atOrAbove: key)
      }
    }
  }

  private static func put(
    _ key: [UInt8], _ value: [UInt8], in tree: Tree, _ transaction: WriteTransaction
  ) throws {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
    }
  }
}

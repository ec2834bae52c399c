// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// The entities that lose all objects, and the trees that can therefore be emptied. Emptying a tree
/// frees its pages without looking at any entry.
///
/// | tree | is emptied if no object stays of |
/// | --- | --- |
/// | records, external values | the entity |
/// | index entries and links | all entities that inherit from the declaring one, including itself |
///
/// Entities that were already empty do not block this.
///
/// A link is stored in the tree of the entity that declares the relationship: it is removed with
/// its owner.
struct EmptiedEntities {
  /// To be emptied, in the order of the entities.
  let trees: [Tree]

  /// Those that lose all their objects.
  private let going: Set<EntityNumber>
  /// Those that have no objects afterwards.
  private let absent: Set<EntityNumber>
  private let emptied: Set<Tree>

  /// - Parameter counts: how many objects of each entity go.
  init(_ counts: [EntityNumber: Int], _ schema: Schema, _ view: StoreView) throws(StoreError) {
    var (going, absent, emptied) = (Set<EntityNumber>(), Set<EntityNumber>(), [Tree]())
    for entity in schema.entities where !entity.description.isAbstract {
      let count = try view.count(of: entity.number)
      guard count == counts[entity.number] ?? 0 else { continue }
      absent.insert(entity.number)
      if count > 0 { going.insert(entity.number) }
    }
    for entity in schema.entities where !going.isDisjoint(with: entity.family) {
      if going.contains(entity.number) {
        emptied += [view.trees.records(of: entity.number), view.trees.external(of: entity.number)]
          .compactMap(\.self)
      }
      if absent.isSuperset(of: entity.family),
        let entries = view.trees.entries(declaredBy: entity.number)
      {
        emptied.append(entries)
      }
    }
    (self.going, self.absent, trees, self.emptied) = (going, absent, emptied, Set(emptied))
  }

  /// Whether `tree` is emptied; true for a tree that does not exist.
  func empties(_ tree: Tree?) -> Bool { tree.map(emptied.contains) ?? true }
}

extension EmptiedEntities {
  /// Whether all objects of these entities can be deleted without looking at any of them. They can
  /// if nothing has to be found through one of them.
  ///
  /// | the entities have | can be deleted |
  /// | --- | --- |
  /// | index entries or links in a tree that others use | no |
  /// | links to and from objects that are deleted too | always |
  /// | links to and from objects that stay | if there are none, and if nothing follows: see below |
  ///
  /// A to-one slot that leads to a remaining object is removed with its record, unless its rule
  /// concerns the target, or the target orders the objects that lead to it.
  ///
  /// - Throws: the errors of reading.
  func canGoUnseen(_ schema: Schema, _ view: StoreView) throws -> Bool {
    for entity in schema.entities where !going.isDisjoint(with: entity.family) {
      if empties(view.trees.entries(declaredBy: entity.number)) { continue }
      return false
    }
    for case let entity? in going.map(schema.entity) {
      for case let relationship? in entity.relationships
      where try !canGoUnseen(relationship, schema, view) {
        return false
      }
      for incoming in entity.incoming where !isEmptied(incoming.owner, schema) {
        if try !hasNone(incoming.storage, of: incoming.number, view) { return false }
      }
    }
    return true
  }

  private func canGoUnseen(
    _ relationship: RelationshipSchema, _ schema: Schema, _ view: StoreView
  ) throws -> Bool {
    if isEmptied(relationship.destination, schema) { return true }
    guard case .slot = relationship.storage else {
      return try hasNone(relationship.storage, of: relationship.number, view)
    }
    switch relationship.inverse?.kind {
    case .toOne:
      return try hasNone(.slot, of: relationship.inverse?.number ?? relationship.number, view)
    case .orderedToMany: return false
    case .toMany, nil:
      return relationship.deleteRule == .nullify || relationship.deleteRule == .noAction
    }
  }

  private func isEmptied(_ entity: EntityNumber, _ schema: Schema) -> Bool {
    schema.entity(entity).map { absent.isSuperset(of: $0.family) } ?? true
  }

  private func hasNone(
    _ storage: RelationshipSchema.Storage, of number: PropertyNumber, _ view: StoreView
  ) throws -> Bool {
    switch storage {
    case .slot: try isEmpty(number, view)
    case .inverseSlot(let index, _): try isEmpty(index, view) && isEmpty(number, view)
    case .links(let number, let mirror): try isEmpty(number, view) && isEmpty(mirror, view)
    }
  }

  private func isEmpty(_ number: PropertyNumber, _ view: StoreView) throws -> Bool {
    try view.hasNoEntries(of: number)
  }
}

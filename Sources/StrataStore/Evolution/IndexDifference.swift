// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The indexes that change when a store goes from the model that it has to another one.
///
/// An index is made again if its keys, its values or its objects are others than before. Objects
/// of new entities do not count: there are none yet.
struct IndexDifference {
  /// The indexes whose entries are removed: those that are gone, and those that are made again.
  /// Ascending. Indexes of removed entities are missing, whose trees are emptied.
  let removed: [(tree: String, number: PropertyNumber)]
  /// The indexes to make.
  let made: Set<PropertyNumber>
  /// The indexes in which two objects may have equal values so far, and may not from now on.
  let newlyUnique: Set<PropertyNumber>

  /// - Parameters:
  ///   - schema: of `present`.
  ///   - moves: those of each entity that the store has had before.
  ///   - changedValues: the properties of which objects show another value than they did.
  init(
    from former: StoredModel, to present: StoredModel, _ schema: Schema,
    _ evolution: ModelEvolution, _ moves: [EntityNumber: PropertyMoves],
    _ changedValues: Set<PropertyNumber>
  ) {
    let formerPlaces = IndexPlace.places(of: former, moves)
    let places = IndexPlace.places(of: present, schema, moves)
    var (made, newlyUnique) = (Set<PropertyNumber>(), Set<PropertyNumber>())
    for (number, place) in places {
      let formerPlace = formerPlaces[number]
      let isMade =
        formerPlace?.hasEqualEntries(place) != true
        || place.index.parts.contains { changedValues.contains($0.property) }
      if isMade { made.insert(number) }
      if place.index.isUnique, isMade || formerPlace?.index.isUnique == false {
        newlyUnique.insert(number)
      }
    }
    // The trees of removed entities are emptied.
    let removed = formerPlaces.filter { number, place in
      !evolution.removedEntities.contains(place.declaring)
        && (places[number] == nil || made.contains(number))
    }
    self.removed = removed.map { ($1.tree, $0) }.sorted { $0 < $1 }
    (self.made, self.newlyUnique) = (made, newlyUnique)
  }
}

/// An index, and the objects that it holds.
private struct IndexPlace {
  let index: StoredModel.Index
  /// The name of the entity that declares it.
  let declaring: String
  let tree: String
  /// The entities that the store has had before, and whose objects the index holds.
  let family: Set<EntityNumber>

  func hasEqualEntries(_ other: IndexPlace) -> Bool {
    tree == other.tree && index.parts == other.index.parts && family == other.family
  }

  /// The indexes of the model that the store has.
  static func places(
    of former: StoredModel, _ moves: [EntityNumber: PropertyMoves]
  ) -> [PropertyNumber: IndexPlace] {
    var places: [PropertyNumber: IndexPlace] = [:]
    for name in former.entities.byName.keys {
      guard let number = former.number(of: name) else { continue }
      let family = former.family(of: name).filter { moves[$0] != nil }
      for index in former.indexes(declaredBy: name) {
        places[index.number] = IndexPlace(
          index: index, declaring: name, tree: TreeKind.entries.name(of: number), family: family)
      }
    }
    return places
  }

  /// The indexes of the model that the store gets.
  static func places(
    of present: StoredModel, _ schema: Schema, _ moves: [EntityNumber: PropertyMoves]
  ) -> [PropertyNumber: IndexPlace] {
    var places: [PropertyNumber: IndexPlace] = [:]
    for entity in schema.entities {
      let name = entity.description.name
      for index in present.indexes(declaredBy: name) {
        places[index.number] = IndexPlace(
          index: index, declaring: name, tree: TreeKind.entries.name(of: entity.number),
          family: Set(entity.family.filter { moves[$0] != nil }))
      }
    }
    return places
  }
}

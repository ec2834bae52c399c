// SPDX-License-Identifier: Apache-2.0
// error: 'fetchLimit' has been renamed to 'limit'
// error: 'fetchOffset' has been renamed to 'offset'
// error: 'sortDescriptors' is unavailable: add sort keys with 'sorted(by:order:)'
// error: 'propertiesToFetch' is unavailable: select columns with 'select(_:)'
// error: 'returnsObjectsAsFaults' is unavailable: set 'includesPropertyValues' to false
// error: 'relationshipKeyPathsForPrefetching' is unavailable: name relationships
// error: 'filter' has been renamed to 'where(_:)'
// error: 'sorted(by:_:)' has been renamed to 'sorted(by:order:)'
// error: 'descending' has been renamed to 'reverse'
// error: 'sorted(by:order:)' is unavailable: a Codable attribute has no order
// error: '==' is unavailable: Codable attributes are not compared
// error: '<' is unavailable: Codable attributes have no order
// error: 'isEmpty' is unavailable: compare with an empty text
// error: 'count' is unavailable: 'rowCount()' counts the objects of a group
// error: 'maximum()' has been renamed to 'max()'
// error: 'starts(with:)' has been renamed to 'hasPrefix(_:)'
// error: 'lowercased()' is unavailable: compare with 'isEqual(to:options:)'
// error: 'localizedStandardContains' is unavailable: use 'contains(_:options:)'
// error: 'orNil' is unavailable: a path through a relationship is optional by itself
// error: 'allSatisfy' has been renamed to 'all(_:)'
// error: 'init(in:)' has been renamed to 'init(context:)'
// error: 'insert' is unavailable: an object is inserted by its initializer
// error: 'count(for:)' has been renamed to 'count(_:)'
// error: 'fetchCount' has been renamed to 'count(_:)'
// error: 'fetchOne' has been renamed to 'first(_:)'
// error: 'sum(of:for:)' has been renamed to 'sum(_:of:)'
// error: 'edit' has been renamed to 'withSavepoint(_:)'
// error: 'performAndWait' is unavailable: a context is used where it is
// error: 'parent' is unavailable: pass the parent to 'init(parent:)'
// error: 'delete' is unavailable: execute a 'BatchDeleteRequest'
// error: 'init(name:)' has been renamed to 'init(at:model:)'
// error: 'loadPersistentStores(completionHandler:)' is unavailable: the initializer opens the store
// error: 'append' has been renamed to 'insert(_:)'
// error: 'entity' has been renamed to 'entityName'
// error: 'isTemporaryID' is unavailable: IDs are permanent from birth
// error: 'UndoManager' has been renamed to 'ManagedObjectContext.UndoManager'
//
// Names of other stores and of Swift's own types that a program may try. Each is refused with the
// word that this library has for it.

import Strata

struct Address: Codable, Comparable {
  var city = ""
  static func < (left: Address, right: Address) -> Bool { left.city < right.city }
}

@Entity final class Land: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \Town.land) var towns: ToMany<Town>
}

@Entity final class Town: ManagedObject {
  var name: String = ""
  var people: Int = 0
  var address: Address = Address()
  var land: Land?
}

func requests(_ address: Address) {
  var request = Town.all
  request.fetchLimit = 5
  request.fetchOffset = 5
  request.sortDescriptors = []
  request.propertiesToFetch = []
  request.returnsObjectsAsFaults = false
  request.relationshipKeyPathsForPrefetching = []
  _ = request.filter { $0.people > 1 }
  _ = request.sorted(by: \.people, .reverse)
  _ = request.sorted(by: \.people, order: .descending)
  _ = request.sorted(by: \.address)
  _ = Town.where { $0.address == address }
  _ = Town.where { $0.address < address }
  _ = Town.where { $0.name.isEmpty }
  _ = Town.all.select { $0.count() }
  _ = Town.all.select { $0.people.maximum() }
  _ = Town.where { $0.name.starts(with: "a") }
  _ = Town.where { $0.name.lowercased() == "a" }
  _ = Town.where { $0.name.localizedStandardContains("a") }
  _ = Town.all.select { $0.land.name.orNil }
  _ = Land.where { $0.towns.allSatisfy { $0.people > 1 } }
}

func contexts(_ context: ManagedObjectContext, _ land: Land, _ town: Town) throws {
  _ = Town(in: context)
  context.insert(town)
  _ = try context.count(for: Town.all)
  _ = try context.fetchCount(Town.all)
  _ = try context.fetchOne(Town.all)
  try context.sum(of: \.people, for: Town.all)
  context.edit { town.name = "" }
  context.performAndWait { town.name = "" }
  _ = context.parent
  context.delete(Town.self)
  _ = PersistentContainer(name: "Towns")
  land.towns.append(town)
  _ = town.objectID.entity
  _ = town.objectID.isTemporaryID
  context.undoManager = UndoManager()
}

func load(_ container: PersistentContainer) {
  container.loadPersistentStores { _ in }
}

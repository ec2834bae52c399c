// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `An object that is deleted` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private let city: City

  init() throws {
    container = try geography()
    context = ManagedObjectContext(parent: container.coordinator)
    other = ManagedObjectContext(parent: container.coordinator)
    let country = context.country("IR")
    city = context.city("Yazd", population: 1, in: country)
    country.languages.insert(Language(context: context))
    try context.save()
  }

  private var rival: City {
    get throws { try other.existingObject(City.self, with: city.objectID) }
  }

  @Test func `by others is deleted here when it is read, and no change of this context`() throws {
    context.refresh(city, mergeChanges: false)
    other.delete(try rival)
    try other.save()
    context.processPendingChanges()
    #expect(city.name == "" && city.isDeleted)
    #expect(context.deletedObjects.isEmpty && !context.hasChanges)
  }

  @Test func `by others is deleted here when that is merged, and no change of this context`()
    throws
  {
    other.delete(try rival)
    try other.save()
    context.refresh(city, mergeChanges: true)
    #expect(city.isDeleted)
    #expect(context.deletedObjects.isEmpty && !context.hasChanges)
  }

  @Test func `here is deleted, and one of the deleted objects, until the save`() throws {
    context.delete(city)
    #expect(city.isDeleted && context.deletedObjects == [city])
    try context.save()
    #expect(!city.isDeleted && context.deletedObjects.isEmpty)
    #expect(city.managedObjectContext == nil)
  }

  // MARK: - Conflicts

  private func conflict(_ save: () throws -> Void) throws -> MergePolicy.Conflict {
    do { try save() } catch StoreError.conflicts(let conflicts) {
      return try #require(conflicts.first)
    }
    throw Unrefused()
  }

  private struct Unrefused: Error {}

  @Test func `here and changed by others is in conflict`() throws {
    #expect(city.population == 1)
    try rival.population = 2
    try other.save()
    context.delete(city)
    let conflict = try conflict { try context.save() }
    #expect(conflict.objectID == city.objectID && conflict.ourValues == nil)
    #expect(conflict.theirValues?["population"] == .int(2))
    #expect(context.deletedObjects == [city])
  }

  @Test func `by others and changed here is in conflict`() throws {
    city.population = 2
    other.delete(try rival)
    try other.save()
    let conflict = try conflict { try context.save() }
    #expect(conflict.objectID == city.objectID && conflict.theirValues == nil)
    #expect(conflict.ourValues?["population"] == .int(2))
  }

  @Test func `in a child is in conflict if the parent has saved it since the child read it`()
    throws
  {
    let child = ManagedObjectContext(parent: context.layer)
    let read = try child.existingObject(City.self, with: city.objectID)
    #expect(read.population == 1)
    city.population = 2
    try context.save()
    child.delete(read)
    try child.save()
    let conflict = try conflict { try context.save() }
    #expect(conflict.objectID == city.objectID && conflict.ourValues == nil)
  }

  @Test func `here is deleted under a policy that prefers this side, and else comes back`() throws {
    for (policy, isDeleted) in [
      (MergePolicy.mergeByPropertyObjectTrump, true), (.overwrite, true),
      (.mergeByPropertyStoreTrump, false), (.rollback, false),
    ] {
      let city = context.city("Qom", population: 1)
      try context.save()
      try other.existingObject(City.self, with: city.objectID).population = 2
      try other.save()
      context.delete(city)
      context.mergePolicy = policy
      try context.save()
      let stored = ManagedObjectContext(parent: container.coordinator)
      let count = try stored.count(City.where { $0.name == "Qom" })
      #expect(count == (isDeleted ? 0 : 1), "\(policy)")
      if !isDeleted { other.delete(try other.existingObject(City.self, with: city.objectID)) }
      try other.save()
    }
  }

  // MARK: - Relationships

  @Test func `keeps its to-one relationship until the save`() throws {
    let country = try #require(city.country)
    context.delete(city)
    #expect(city.country === country)
    #expect(!country.cities.contains(city) && country.cities.isEmpty)
    context.processPendingChanges()
    #expect(city.country === country)
    try context.save()
    #expect(city.country == nil)
  }

  @Test func `has no members at once, whatever its rule does with them`() throws {
    let country = try #require(city.country)
    let language = try #require(country.languages.first { _ in true })
    context.delete(country)
    #expect(city.isDeleted, "by the rule .cascade")
    #expect(country.languages.isEmpty && language.countries.isEmpty)
    #expect(country.cities.isEmpty)
    #expect(city.country === country)
    try context.save()
    #expect(country.languages.isEmpty && country.cities.isEmpty && city.country == nil)
  }

  @Test func `has an empty list at once`() throws {
    let route = Route(context: context)
    route.stops.append(city)
    try context.save()
    context.delete(route)
    #expect(route.isDeleted && Array(route.stops) == [])
  }
}

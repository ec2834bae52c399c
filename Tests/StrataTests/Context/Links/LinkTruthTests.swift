// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

// A relationship has many forms in which a program can ask for it. All of them say the same.

/// The answers to each form of the question: is `city` the one city of `country`?
@MainActor
private func answers(
  _ city: City, in country: Country, _ context: ManagedObjectContext
) throws -> [String: Bool] {
  let (id, name) = (city.objectID, "A")
  return [
    "contains": country.cities.contains(city),
    "iteration": country.cities.contains { $0 === city },
    "count": country.cities.count == 1,
    "isEmpty": !country.cities.isEmpty,
    "objectIDs": country.cities.objectIDs == [id],
    "objectIDs by name": country.objectIDs(forRelationshipNamed: "cities") == [id],
    "fetch": try context.fetchIDs(City.where { $0.country == country }) == [id],
    "count of a fetch": try context.count(City.where { $0.country == country }) == 1,
    "any": try context.fetchIDs(Country.where { $0.cities.any { $0.name == name } })
      == [country.objectID],
    "count of members": try context.fetchIDs(Country.where { $0.cities.count == 1 })
      == [country.objectID],
  ]
}

/// The answers of the forms that use the city's own values: its property and a list of the context.
@MainActor
private func ownAnswers(
  _ city: City, in country: Country, _ context: ManagedObjectContext
) throws -> [String: Bool] {
  let list = FetchedResultsController(
    City.where { $0.country == country }.sorted(by: \.name), context: context)
  try list.performFetch()
  return [
    "property": city.country === country,
    "objectIDs by name": city.objectIDs(forRelationshipNamed: "country") == [country.objectID],
    "list": list.snapshot.objectIDs.contains(city.objectID),
  ]
}

extension [String: Bool] {
  fileprivate func all(_ expected: Bool) -> Bool { allSatisfy { $0.value == expected } }
}

@MainActor
@Suite struct `Each form of asking for a relationship says the same` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let city: City
  private let (iran, iraq): (Country, Country)

  init() throws {
    container = try geography()
    let ids = try container.root.performAndWait { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let city = context.city("A", in: iran)
      try context.save()
      return [city.objectID, iran.objectID, iraq.objectID]
    }
    context = ManagedObjectContext(parent: container.root)
    city = try context.existingObject(City.self, with: ids[0])
    iran = try context.existingObject(Country.self, with: ids[1])
    iraq = try context.existingObject(Country.self, with: ids[2])
  }

  private func expect(
    _ country: Country, _ expected: Bool, own: Bool? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let said = try answers(city, in: country, context)
    #expect(said.all(expected), "\(said)", sourceLocation: location)
    let own = own ?? expected
    let saidByOwn = try ownAnswers(city, in: country, context)
    #expect(saidByOwn.all(own), "\(saidByOwn)", sourceLocation: location)
  }

  /// Has another context do something with its instances and save it to the root.
  private func elsewhere(
    _ body: @Sendable (City, _ iran: Country, _ iraq: Country, ManagedObjectContext) throws -> Void
  ) throws {
    let ids = [city.objectID, iran.objectID, iraq.objectID]
    try container.newBackgroundContext().performAndWait { context in
      try body(
        context.existingObject(City.self, with: ids[0]),
        context.existingObject(Country.self, with: ids[1]),
        context.existingObject(Country.self, with: ids[2]), context)
      try context.save()
    }
    context.processPendingChanges()
  }

  @Test func `of a saved link, of one of this turn, and of one that was taken away`() throws {
    try expect(iran, true)
    try expect(iraq, false)
    city.country = iraq
    try expect(iran, false)
    try expect(iraq, true)
    iraq.cities.remove(city)
    try expect(iraq, false)
    iran.cities.insert(city)
    try expect(iran, true)
  }

  @Test func `of a held member that others have linked elsewhere, whose own values are older`()
    throws
  {
    try elsewhere { city, _, iraq, _ in city.country = iraq }
    try expect(iran, false, own: true)
    try expect(iraq, true, own: false)
    context.refresh(city, mergeChanges: true)
    try expect(iran, false)
    try expect(iraq, true)
  }

  @Test func `of a held member that is edited after others have linked it elsewhere`() throws {
    try elsewhere { city, _, iraq, _ in city.country = iraq }
    iran.cities.insert(city)
    try expect(iran, true)
    try expect(iraq, false)
  }

  @Test func `of a held member that is removed after others have linked it elsewhere`() throws {
    try elsewhere { city, _, iraq, _ in city.country = iraq }
    iraq.cities.remove(city)
    try expect(iran, false)
    try expect(iraq, false)
  }

  @Test func `of a member that is deleted here`() throws {
    context.delete(city)
    #expect(!iran.cities.contains(city))
    #expect(iran.cities.isEmpty && iran.cities.objectIDs.isEmpty)
    #expect(try context.count(City.where { $0.country == iran }) == 0)
    #expect(try context.count(Country.where { $0.cities.count == 0 }) == 2)
  }

  @Test func `of a held member that is deleted in the parent`() throws {
    try elsewhere { city, _, _, context in context.delete(city) }
    #expect(!iran.cities.contains(city))
    #expect(iran.cities.isEmpty && iran.cities.objectIDs.isEmpty)
    #expect(try context.count(City.where { $0.country == iran }) == 0)
  }

  @Test func `of a link to an object that is deleted here, also if the member is held and older`()
    throws
  {
    try elsewhere { city, _, iraq, _ in city.country = iraq }
    context.delete(iran)
    #expect(city.country == nil)
    #expect(city.objectIDs(forRelationshipNamed: "country").isEmpty)
    #expect(!iran.cities.contains(city) && iran.cities.isEmpty)
    try expect(iraq, true, own: false)
  }
}

@Suite struct `A link to an object that is deleted here` {
  @Test func `is dropped, and the property is nil at once`() throws {
    let container = try geography()
    let root = container.root
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let cities = [context.city("A", in: iran), context.city("B"), context.city("C", in: iran)]
      try context.save()
      try root.performAndWait { try $0.save() }
      context.delete(iraq)
      cities[0].country = iraq
      cities[1].country = iraq
      iraq.cities.insert(cities[2])
      #expect(cities.allSatisfy { $0.country == nil })
      #expect(!cities[1].hasChanges)
      #expect(iran.cities.isEmpty)
      #expect(try context.count(City.where { $0.country == nil }) == 3)
      try context.save()
    }
    try root.performAndWait { try $0.save() }
  }

  @Test func `is dropped at both ends where both are to-one`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (iran, former, deleted) = (
      context.country("IR"), Government(context: context), Government(context: context)
    )
    iran.government = former
    try context.save()
    context.delete(deleted)
    iran.government = deleted
    #expect(iran.government == nil && former.country == nil && deleted.country == nil)
    try context.save()
  }

  @Test func `is dropped from sets and lists`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (iran, language, route) = (
      context.country("IR"), Language(context: context), Route(context: context)
    )
    let city = context.city("A")
    try context.save()
    context.delete(language)
    context.delete(city)
    iran.languages.insert(language)
    language.countries.insert(iran)
    route.stops.append(city)
    #expect(iran.languages.isEmpty && language.countries.isEmpty && route.stops.isEmpty)
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func `is dropped from lists whose members lead back, which lead nowhere then`() throws {
    let container = try republic()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (kept, deleted) = (Rack(context: context), Rack(context: context))
    let wares = [Crate(context: context), Crate(context: context)]
    kept.wares.append(contentsOf: wares)
    try context.save()
    context.delete(deleted)
    deleted.wares.append(wares[0])
    wares[1].rack = deleted
    #expect(wares.allSatisfy { $0.rack == nil } && kept.wares.isEmpty && deleted.wares.isEmpty)
    try context.save()
  }

  @Test func `is dropped if the object's deletion is pending in the parent`() throws {
    let container = try geography()
    let root = container.root
    let ids = try root.performAndWait { context in
      let ids = [context.city("A").objectID, context.country("IR").objectID]
      try context.save()
      context.delete(try context.existingObject(Country.self, with: ids[1]))
      return ids
    }
    let context = ManagedObjectContext(parent: root)
    let city = try context.existingObject(City.self, with: ids[0])
    city.country = try context.object(Country.self, with: ids[1])
    #expect(city.country == nil)
    #expect(!context.hasChanges)
  }

  @Test func `is dropped if a fault has found the object gone`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (city, country) = (context.city("A"), context.country("IR"))
    try context.save()
    context.refresh(country, mergeChanges: false)
    let other = ManagedObjectContext(parent: container.coordinator)
    other.delete(try other.existingObject(Country.self, with: country.objectID))
    try other.save()
    context.processPendingChanges()
    #expect(country.name == "" && country.isDeleted)
    city.country = country
    #expect(city.country == nil)
    try context.save()
  }
}

@Suite struct `A link that a delete rule leaves` {
  @Test(arguments: [DeleteRule.noAction, .deny])
  func `leads nowhere while the object's deletion is pending`(rule: DeleteRule) throws {
    let container = try republic()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (depot, crate) = (Depot(context: context), Crate(context: context))
    let (visit, claim) = (Visit(context: context), Complaint(context: context))
    visit.depot = depot
    claim.crate = crate
    try context.save()
    context.delete(rule == .deny ? crate : depot)
    if rule == .deny {
      #expect(claim.crate == nil)
      #expect(claim.objectIDs(forRelationshipNamed: "crate").isEmpty)
      #expect(!crate.claims.contains(claim) && crate.claims.isEmpty)
      context.rollback()
      #expect(claim.crate === crate)
    } else {
      #expect(visit.depot == nil)
      #expect(visit.objectIDs(forRelationshipNamed: "depot").isEmpty)
      #expect(!depot.visits.contains(visit) && depot.visits.isEmpty)
      context.rollback()
      #expect(visit.depot === depot)
    }
  }

  @Test func `leads nowhere in queries, rows and lists, in a child too, and comes to no object`()
    throws
  {
    let container = try republic()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (depot, visit) = (Depot(context: context), Visit(context: context))
    depot.name = "D"
    visit.depot = depot
    try context.save()
    context.refresh(visit, mergeChanges: false)
    let list = FetchedResultsController(
      Visit.where { $0.depot == nil }.sorted(by: \.day), context: context)
    try list.performFetch()
    context.delete(depot)
    context.processPendingChanges()
    let child = ManagedObjectContext(parent: context)
    for context in [context, child] {
      #expect(try context.count(Visit.where { $0.depot == depot }) == 0)
      #expect(try context.fetchIDs(Visit.where { $0.depot == nil }) == [visit.objectID])
      let found = try context.fetch(Visit.where { $0.depot == nil })
      #expect(found.map(\.objectID) == [visit.objectID] && found[0].depot == nil)
      let rows = try context.fetch(Visit.all.select { $0.depot.name })
      #expect(rows == [nil])
    }
    try list.performFetch()
    #expect(list.snapshot.objectIDs == [visit.objectID])
    context.rollback()
    #expect(visit.depot === depot)
    #expect(visit.changedValues().isEmpty && !context.hasChanges)
  }

  @Test func `leads nowhere in fetches beside the context and in those without its changes`()
    async throws
  {
    let root = try republic().root
    let id = try root.performAndWait { context in
      let (depot, visit) = (Depot(context: context), Visit(context: context))
      depot.name = "D"
      visit.depot = depot
      try context.save()
      context.delete(depot)
      return visit.objectID
    }
    let request = Visit.where { $0.depot == nil }
    #expect(try await root.fetchIDs(request) == [id])
    let names = try await root.fetch(Visit.all.select { $0.depot.name })
    #expect(names == [nil])
    var values = root.values(of: request).makeAsyncIterator()
    #expect(try await values.next() == [id])
    try ContextQueue(parent: root).performAndWait { context in
      var request = request
      request.includesPendingChanges = false
      #expect(try context.fetchIDs(request) == [id])
      let found = try context.fetch(request)
      #expect(found.map(\.objectID) == [id] && found[0].depot == nil)
    }
  }

  @Test func `can be taken away, so that the deletion is denied no longer`() throws {
    let container = try republic()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (crate, claim) = (Crate(context: context), Complaint(context: context))
    claim.crate = crate
    try context.save()
    context.delete(crate)
    #expect(
      throws: ContextError.deleteDenied([
        .init(objectID: crate.objectID, entity: "Crate", property: "claims")
      ])
    ) { try context.save() }
    claim.crate = nil
    try context.save()
    #expect(try context.count(Crate.all) == 0)
  }
}

@MainActor
@Suite struct `Links that came and went` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try geography()
    context = ManagedObjectContext(parent: container.coordinator)
  }

  /// Saves, and says whether that has written anything.
  private func commits() throws -> Bool {
    let before = try container.coordinator.snapshot().generation
    try context.save()
    return try container.coordinator.snapshot().generation != before
  }

  @Test(arguments: [false, true])
  func `are no change, in sets and in lists`(isPublished: Bool) throws {
    let (iran, iraq, language) = (
      context.country("IR"), context.country("IQ"), Language(context: context)
    )
    let (route, city) = (Route(context: context), context.city("A"))
    try context.save()
    iran.languages.insert(language)
    iran.neighbours.insert(iraq)
    route.stops.append(city)
    if isPublished { context.processPendingChanges() }
    #expect(context.hasChanges)
    iran.languages.remove(language)
    iraq.neighbours.remove(iran)
    route.stops.remove(city)
    #expect(!context.hasChanges)
    #expect(!context.hasPersistentChanges)
    #expect(iran.languages.isEmpty && iraq.neighbours.isEmpty && route.stops.isEmpty)
    #expect(try !commits())
  }

  @Test(arguments: [false, true])
  func `are no change if they were there before`(isPublished: Bool) throws {
    let (iran, language) = (context.country("IR"), Language(context: context))
    iran.languages.insert(language)
    try context.save()
    iran.languages.remove(language)
    if isPublished { context.processPendingChanges() }
    #expect(context.hasChanges)
    language.countries.insert(iran)
    #expect(!context.hasChanges)
    #expect(try !commits())
    #expect(Set(iran.languages) == [language])
  }

  @Test func `are no change if one end is deleted`() throws {
    let (iran, language) = (context.country("IR"), Language(context: context))
    try context.save()
    iran.languages.insert(language)
    context.processPendingChanges()
    context.delete(language)
    #expect(!iran.hasPersistentChangedValues)
    try context.save()
    #expect(iran.languages.isEmpty)
  }

  @Test func `take nothing away that others have linked since`() throws {
    let (iran, language) = (context.country("IR"), Language(context: context))
    try context.save()
    iran.languages.insert(language)
    context.processPendingChanges()
    iran.languages.remove(language)
    let other = ManagedObjectContext(parent: container.coordinator)
    try other.existingObject(Country.self, with: iran.objectID).languages
      .insert(other.existingObject(Language.self, with: language.objectID))
    try other.save()
    context.city("A")
    try context.save()
    #expect(Set(iran.languages) == [language])
  }

  #if DEBUG
    @Test func `are a change beside a save of them that is under way`() async throws {
      let (iran, language) = (context.country("IR"), Language(context: context))
      try context.save()
      iran.languages.insert(language)
      let gate = WriterGate(container)
      let context = context
      let save = await gate.begin(Task { try await context.save(to: .parent) })
      iran.languages.remove(language)
      let hasChanges = context.hasChanges
      gate.open()
      try await save.value
      #expect(hasChanges && context.hasChanges && iran.languages.isEmpty)
      #expect(try commits())
      #expect(iran.languages.isEmpty)
    }
  #endif

  @Test func `come back with an undo, and go with a redo`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let (iran, language) = (context.country("IR"), Language(context: context))
    try context.save()
    context.undoManager?.removeAllActions()
    context.turn { iran.languages.insert(language) }
    context.turn { iran.languages.remove(language) }
    #expect(!context.hasChanges)
    context.turn { context.undo() }
    #expect(Set(iran.languages) == [language])
    context.turn { context.undo() }
    #expect(iran.languages.isEmpty && !context.hasChanges)
    context.turn { context.redo() }
    #expect(Set(iran.languages) == [language] && context.hasChanges)
  }
}

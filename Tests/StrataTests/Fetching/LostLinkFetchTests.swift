// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import Testing

@MainActor
@Suite struct `A link that others make to an object that is deleted here` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext

  init() throws {
    container = try geography()
    context = .withExplicitTurns(below: container.coordinator)
    other = .withExplicitTurns(below: container.coordinator)
  }

  /// A country that is deleted in `context`, and to which `other` has linked a city since.
  private func linkedCity() throws -> (country: Country, city: City) {
    let (country, city) = (context.country("IR"), context.city("A"))
    context.city("B", in: context.country("IQ"))
    try context.save()
    context.delete(country)
    context.processPendingChanges()
    let theirs = try other.existingObject(City.self, with: city.objectID)
    theirs.country = try other.existingObject(Country.self, with: country.objectID)
    try other.save()
    context.processPendingChanges()
    context.refreshAllObjects()
    return (country, city)
  }

  private func expectNowhere(
    _ city: City, _ country: Country, in context: ManagedObjectContext
  ) throws {
    let (id, gone) = (city.objectID, country.objectID)
    #expect(try context.existingObject(City.self, with: id).country == nil)
    for (request, isFound) in [
      (City.where { $0.country == nil }, true), (City.where { $0.country != nil }, false),
      (City.where { $0.country.iso == nil }, true),
      (City.where { $0.country == nil || $0.name == "none" }, true),
    ] {
      let ids = try context.fetchIDs(request)
      #expect(ids.contains(id) == isFound && ids.count == 1)
      #expect(try context.count(request) == 1)
      #expect(try context.fetch(request).map(\.objectID) == ids)
    }
    #expect(try context.fetchIDs(City.where { $0.country.iso == "IR" }).isEmpty)
    for isScanned in [false, true] {
      let request = City.where { city in
        isScanned ? city.country == gone || city.name == "none" : city.country == gone
      }
      #expect(try context.fetchIDs(request).isEmpty)
      #expect(try context.count(request) == 0)
    }
    #expect(try context.fetchIDs(City.where { $0.country.isIn([gone]) }).isEmpty)
    #expect(try context.fetchIDs(City.where { $0.country != gone }).count == 2)
    let rows = try context.fetch(City.all.sorted(by: \.name).select { $0.country.iso })
    #expect(rows == [nil, "IQ"])
  }

  @Test func `leads nowhere, in properties and in predicates`() throws {
    let (country, city) = try linkedCity()
    try expectNowhere(city, country, in: context)
    try expectNowhere(city, country, in: context)
    context.rollback()
    #expect(city.country === country)
    #expect(try context.fetchIDs(City.where { $0.country == country }) == [city.objectID])
  }

  @Test func `leads nowhere in a child`() throws {
    let (country, city) = try linkedCity()
    let child = ManagedObjectContext(parent: context)
    try expectNowhere(city, country, in: child)
    child.city("C", in: try child.fetch(Country.all)[0])
    #expect(try child.fetchIDs(City.where { $0.country == nil }) == [city.objectID])
  }

  @Test func `leads nowhere in a child that was there before`() throws {
    let (country, city) = (context.country("IR"), context.city("A"))
    context.city("B", in: context.country("IQ"))
    try context.save()
    context.delete(country)
    context.processPendingChanges()
    let child = ManagedObjectContext(parent: context)
    #expect(try child.fetchIDs(City.where { $0.country == nil }) == [city.objectID])
    try other.existingObject(City.self, with: city.objectID).country =
      other.existingObject(Country.self, with: country.objectID)
    try other.save()
    context.processPendingChanges()
    try expectNowhere(city, country, in: child)
  }

  @Test func `leads nowhere if a parent makes it`() throws {
    let (country, city) = (context.country("IR"), context.city("A"))
    context.city("B", in: context.country("IQ"))
    try context.save()
    let child = ManagedObjectContext.withExplicitTurns(below: context.layer)
    child.delete(try child.existingObject(Country.self, with: country.objectID))
    #expect(try child.fetchIDs(City.where { $0.country == nil }) == [city.objectID])
    city.country = country
    context.processPendingChanges()
    child.processPendingChanges()
    child.refreshAllObjects()
    try expectNowhere(city, country, in: child)
  }

  /// The ways to take a change back.
  enum Reversal: CaseIterable {
    case refreshing, throwing, undoing
  }

  /// The deletion is looked up while an edit of an object that shows an older state hides the link.
  @Test(arguments: Reversal.allCases)
  func `leads nowhere when the change that hid it is taken back`(_ reversal: Reversal) throws {
    let (country, city) = (context.country("IR"), context.city("A"))
    context.city("B", in: context.country("IQ"))
    try context.save()
    if reversal == .undoing { context.undoManager = .init() }
    context.delete(country)
    context.processPendingChanges()
    try other.existingObject(City.self, with: city.objectID).country =
      other.existingObject(Country.self, with: country.objectID)
    try other.save()
    func edit() throws {
      city.population = 1
      context.processPendingChanges()
      #expect(try context.fetchIDs(City.where { $0.country == nil }) == [city.objectID])
    }
    switch reversal {
    case .refreshing:
      try edit()
      context.refresh(city, mergeChanges: false)
    case .throwing:
      try? context.withSavepoint {
        try edit()
        throw CancellationError()
      }
    case .undoing:
      try edit()
      context.undoManager?.undo()
    }
    #expect(city.population == 0)
    try expectNowhere(city, country, in: context)
  }

  @Test func `leads nowhere where it is one to one`() throws {
    let country = context.country("IR")
    let government = Government(context: context)
    try context.save()
    context.delete(country)
    context.processPendingChanges()
    try other.existingObject(Government.self, with: government.objectID).country =
      other.existingObject(Country.self, with: country.objectID)
    try other.save()
    context.processPendingChanges()
    context.refreshAllObjects()
    #expect(government.country == nil)
    let id = government.objectID
    #expect(try context.fetchIDs(Government.where { $0.country == nil }) == [id])
    #expect(try context.fetchIDs(Government.where { $0.country == country }).isEmpty)
  }

  @Test func `leads nowhere in a fetched list`() throws {
    let list = FetchedResultsController(
      City.where { $0.country == nil }.sorted(by: \.name), context: context)
    let (country, city) = (context.country("IR"), context.city("A"))
    try context.save()
    try list.performFetch()
    context.delete(country)
    context.processPendingChanges()
    try other.existingObject(City.self, with: city.objectID).country =
      other.existingObject(Country.self, with: country.objectID)
    try other.save()
    context.processPendingChanges()
    context.refreshAllObjects()
    context.processPendingChanges()
    #expect(list.snapshot.objectIDs == [city.objectID])
  }
}

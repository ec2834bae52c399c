// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `An observed fault whose object another context has deleted` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let city: City
  private let country: Country

  init() throws {
    container = try geography()
    context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    country = context.country("IR")
    city = context.city("Tehran", in: country)
    try context.save()
    _ = city.name
    _ = country.cities.count
    context.refresh(city, mergeChanges: false)
    let other = ManagedObjectContext(parent: container.root)
    other.delete(try other.existingObject(City.self, with: city.objectID))
    try other.save()
    context.refreshAllObjects()
  }

  @Test func `reads as deleted`() {
    #expect(city.name == "")
    #expect(city.country == nil)
    #expect(city.isDeleted)
  }

  @Test func `reads as deleted if its to-one relationship is read first`() {
    #expect(city.country == nil)
    #expect(city.isDeleted)
  }
}

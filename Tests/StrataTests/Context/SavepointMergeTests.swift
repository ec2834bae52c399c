// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

/// The ways in which a body brings objects up to date.
private enum Way: String, CaseIterable, Sendable {
  case merge, refresh, refreshAll, refetch

  func bringUpToDate(
    _ context: ManagedObjectContext, _ city: City, with saves: MessageLog
  ) throws {
    switch self {
    case .merge:
      for message in saves.messages(.didSave) {
        try context.mergeChanges(fromContextDidSave: message)
      }
    case .refresh: context.refresh(city, mergeChanges: true)
    case .refreshAll: context.refreshAllObjects()
    case .refetch:
      var request = City.all
      request.shouldRefreshRefetchedObjects = true
      _ = try context.fetch(request)
    }
  }
}

@Suite struct `A savepoint that throws after its body has brought objects up to date` {
  private struct Failure: Error {}

  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private let saves: MessageLog
  private let city: City
  private let country: Country

  init() throws {
    container = try geography()
    context = ManagedObjectContext(parent: container.coordinator)
    other = ManagedObjectContext(parent: container.coordinator)
    saves = MessageLog(other.layer)
    country = context.country("IR")
    city = context.city("A", population: 1)
    try context.save()
  }

  /// Another context's save of the city.
  private func saveElsewhere(_ change: (City) throws -> Void) throws {
    try change(other.existingObject(City.self, with: city.objectID))
    try other.save()
  }

  private func failing(_ body: () throws -> Void) {
    #expect(throws: Failure.self) {
      try context.withSavepoint {
        try body()
        throw Failure()
      }
    }
  }

  private func stored() throws -> [String] {
    let reader = ManagedObjectContext(parent: container.coordinator)
    return try reader.fetch(City.all.sorted(by: \.name)).map { "\($0.name) \($0.population)" }
  }

  @Test(arguments: Way.allCases)
  private func `keeps earlier edits over the new values, and saves them`(_ way: Way) throws {
    city.population = 5
    context.processPendingChanges()
    try saveElsewhere { $0.name = "B" }
    failing { try way.bringUpToDate(context, city, with: saves) }
    #expect(city.name == "B" && city.population == 5)
    #expect(city.isUpdated)
    try context.save()
    #expect(try stored() == ["B 5"])
  }

  @Test(arguments: Way.allCases)
  private func `reverts the body's edits before and after it, on every level`(
    _ way: Way
  ) throws {
    city.population = 5
    try saveElsewhere { $0.name = "B" }
    failing {
      city.population = 6
      failing {
        city.note = "x"
        try way.bringUpToDate(context, city, with: saves)
        city.population = 7
      }
      #expect(city.name == "B" && city.population == 6 && city.note == nil)
    }
    #expect(city.name == "B" && city.population == 5 && city.note == nil)
    try context.save()
    #expect(try stored() == ["B 5"])
  }

  @Test(arguments: Way.allCases)
  private func `leaves an object gone that another context has deleted`(_ way: Way) throws {
    city.population = 5
    try saveElsewhere { other.delete($0) }
    failing { try way.bringUpToDate(context, city, with: saves) }
    if way == .refetch { context.refreshAllObjects() }
    // Refreshing all objects has made it a fault.
    _ = city.name
    #expect(city.isDeleted)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try stored() == [])
  }

  @Test func `drops the links of earlier insertions to an object that is gone`() throws {
    let new = context.city("N", in: country)
    try other.delete(other.existingObject(Country.self, with: country.objectID))
    try other.save()
    failing { try Way.merge.bringUpToDate(context, city, with: saves) }
    #expect(new.isDeleted || new.country == nil)
    try context.save()
  }

  @Test func `restores a deletion on the new state`() throws {
    context.delete(city)
    context.processPendingChanges()
    try saveElsewhere { $0.name = "B" }
    failing { try Way.merge.bringUpToDate(context, city, with: saves) }
    #expect(city.isDeleted)
    try context.save()
    #expect(try stored() == [])
  }

  @Test func `restores on the new state an edit that its body has dropped`() throws {
    city.population = 5
    try saveElsewhere { $0.name = "B" }
    failing {
      context.refresh(city, mergeChanges: false)
      #expect(city.population == 1)
      try Way.refreshAll.bringUpToDate(context, city, with: saves)
    }
    #expect(city.name == "B" && city.population == 5)
    try context.save()
    #expect(try stored() == ["B 5"])
  }

  @Test func `raises the edits of a child above its parent's`() throws {
    let parent = ContextQueue(parent: container.coordinator)
    let (child, sibling) = (
      ManagedObjectContext(parent: parent), ManagedObjectContext(parent: parent)
    )
    let ours = try child.existingObject(City.self, with: city.objectID)
    ours.population = 5
    child.processPendingChanges()
    try sibling.existingObject(City.self, with: city.objectID).name = "B"
    try sibling.save()
    #expect(throws: Failure.self) {
      try child.withSavepoint {
        ours.note = "x"
        child.refresh(ours, mergeChanges: true)
        throw Failure()
      }
    }
    #expect(ours.name == "B" && ours.population == 5 && ours.note == nil)
    try child.save()
    try parent.performAndWait { try $0.save() }
    #expect(try stored() == ["B 5"])
  }
}

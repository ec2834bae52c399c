// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

/// A city that a root has inserted and its child has read, before the root did anything else with
/// it.
private struct SharedCity {
  let container: PersistentContainer
  let root: ManagedObjectContext
  let child: ManagedObjectContext
  let rootCity: City
  let childCity: City

  init() throws {
    container = try geography()
    root = ManagedObjectContext(parent: container.coordinator)
    child = ManagedObjectContext(parent: root)
    rootCity = root.city("A")
    root.processPendingChanges()
    childCity = try child.existingObject(City.self, with: rootCity.objectID)
  }

  /// The root changes the city and saves it.
  func saveChanged() throws {
    rootCity.population = 7
    try root.save()
    child.processPendingChanges()
  }

  /// The child names the city and saves that to the root.
  func rename() throws {
    childCity.name = "B"
    try child.save()
  }

  func stored() throws -> String {
    let id = rootCity.objectID
    return try ContextQueue(parent: container.coordinator).performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
  }
}

@Suite struct `A child's edit of an object that its parent is saving` {
  @Test func `is a conflict with that save, if it was made from older values`() throws {
    let shared = try SharedCity()
    try shared.saveChanged()
    try shared.rename()
    do {
      try shared.root.save()
      Issue.record("the edit was made from values that are gone")
    } catch StoreError.conflicts(let conflicts) {
      #expect(conflicts.map(\.ourChanges) == [["name"]])
      #expect(conflicts.map(\.theirChanges) == [["population"]])
    }
    shared.root.mergePolicy = .mergeByPropertyObjectTrump
    try shared.root.save()
    #expect(try shared.stored() == "B 7")
  }

  @Test func `is none if the parent saves the state that the child has read`() throws {
    let shared = try SharedCity()
    try shared.root.save()
    try shared.rename()
    try shared.root.save()
    #expect(try shared.stored() == "B 0")
  }

  @Test func `is none before the parent saves: the later value of each property stays`() throws {
    let shared = try SharedCity()
    shared.rootCity.population = 7
    shared.root.processPendingChanges()
    try shared.rename()
    try shared.root.save()
    #expect(try shared.stored() == "B 7")
  }

  @Test(arguments: [false, true])
  func `is none if the child is notified of it before`(isAutomatic: Bool) throws {
    let shared = try SharedCity()
    shared.child.automaticallyMergesChangesFromParent = isAutomatic
    try shared.saveChanged()
    if !isAutomatic { shared.child.refresh(shared.childCity, mergeChanges: true) }
    #expect(shared.childCity.population == 7)
    try shared.rename()
    try shared.root.save()
    #expect(try shared.stored() == "B 7")
  }
}

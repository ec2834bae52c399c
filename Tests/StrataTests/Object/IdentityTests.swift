// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// An entity with an ID of the program's own.
@Entity private final class Allotment: ManagedObject {
  @Attribute(.unique) var id: UUID
  var weight: Int = 0
}

/// The ID by which lists tell elements apart.
private func identity<T: Identifiable>(of value: T) -> T.ID { value.id }

@Suite struct `An object's identity` {
  private let container: PersistentContainer
  private let id: ObjectID

  init() throws {
    container = try geography()
    id = try container.root.performAndWait { context in
      let city = context.city("A", population: 3)
      try context.save()
      return city.objectID
    }
  }

  @Test func `is one instance in each context, and the same ID in all`() throws {
    let contexts = (0..<2).map { _ in ManagedObjectContext(parent: container.root) }
    let first = try contexts[0].object(City.self, with: id)
    let second = try contexts[1].object(City.self, with: id)
    #expect(first !== second && first != second)
    #expect(first.objectID == second.objectID)
    for (context, city) in zip(contexts, [first, second]) {
      #expect(try context.existingObject(City.self, with: id) === city)
      #expect(try context.fetch(City.all).first === city)
      #expect(context.registeredObject(for: id) === city)
    }
    first.name = "B"
    #expect(second.name == "A")
  }

  @Test func `is asked without firing the fault`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let city = try context.object(City.self, with: id)
    #expect(city == city && city.hashValue == city.hashValue)
    #expect(city.description.contains(id.description))
    #expect(city.objectID == id && city.id == id)
    #expect(type(of: city).entity.name == "City")
    #expect(city.managedObjectContext === context)
    #expect(!city.isInserted && !city.isUpdated && !city.isDeleted && !city.hasChanges)
    #expect(context.registeredObject(for: id) === city)
    #expect(city.isFault)
  }

  @Test func `stays the object's, if its class has an attribute called id`() throws {
    let root = try PersistentContainer(inMemory: ManagedObjectModel(Allotment.self)).root
    try root.performAndWait { context in
      let (allotment, own) = (Allotment(context: context), UUID())
      (allotment.id, allotment.weight) = (own, 7)
      try context.save()
      #expect(identity(of: allotment) == allotment.objectID && allotment.id == own)
      let found = try context.fetch(Allotment.where { $0.id == own })
      #expect(found == [allotment])
      #expect(try context.fetch(Allotment.all.sorted(by: \.id)).map(\.id) == [own])
      #expect(try allotment.value(for: "id") == .uuid(own))
      #expect("\(allotment)".contains("(id: \(own), weight: 7)"))
    }
  }

  /// New objects are appended to the store's trees, as long as serials grow.
  @Test func `grows from turn to turn, whichever contexts insert, and few are lost`() throws {
    let contexts = (0..<3).map { _ in ManagedObjectContext(parent: container.root) }
    var serials = [id.key.serial]
    for turn in 0..<30 {
      let context = contexts[turn % 3]
      for number in 0...(turn * 7 % 200) {
        serials.append(context.city("\(number)").objectID.key.serial)
      }
      context.processPendingChanges()
    }
    #expect(zip(serials, serials.dropFirst()).allSatisfy { $0 < $1 })
    let (first, last) = (try #require(serials.first), try #require(serials.last))
    #expect(last - first < 2 * UInt64(serials.count))
  }

  @Test func `is an object with values, if an existing one is asked for`() throws {
    let context = ManagedObjectContext(parent: container.root)
    #expect(context.registeredObject(for: id) == nil)
    let fault = try context.object(City.self, with: id)
    #expect(fault.isFault)
    let city = try context.existingObject(City.self, with: id)
    #expect(city === fault && !city.isFault)
  }

  @Test func `ends with a reset: a held object has no context then`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let held = try context.existingObject(City.self, with: id)
    let inserted = context.city("B")
    context.reset()
    for city in [held, inserted] {
      #expect(city.managedObjectContext == nil)
      #expect(city.name == "" && city.population == 0 && !city.hasChanges)
    }
    let again = try context.existingObject(City.self, with: id)
    #expect(again !== held && again.name == "A")
    #expect(context.registeredObject(for: inserted.objectID) == nil)
    #expect(!context.hasChanges)
  }
}

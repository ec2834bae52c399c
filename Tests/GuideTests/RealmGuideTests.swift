// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of ComingFromRealm.md, part by part.
@Suite struct `The guide for users of Realm` {
  // begin model
  @Entity final class Person: ManagedObject {
    @Attribute(.unique) var email: String
    var name: String
    @Relationship(inverse: \Dog.owner) var dogs: ToMany<Dog>
  }

  @Entity final class Dog: ManagedObject {
    var name: String
    var age: Int = 0
    var owner: Person?
  }
  // end

  @Test @MainActor func `does what Realm's code does`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("dogs.strata")
    // begin opening
    let container = try PersistentContainer(
      at: url, model: ManagedObjectModel(Person.self, Dog.self))
    let context = container.viewContext
    context.automaticallyMergesChangesFromParent = true
    // end

    // begin writing
    let dog = Dog(context: context)
    (dog.name, dog.age) = ("Rex", 3)
    dog.age += 1  // no block is needed: the change is unsaved
    try context.save()
    try await container.root.save()  // now it is on the disk
    // end

    // begin results
    let puppies = Dog.where { $0.age < 5 }.sorted(by: \.name)
    let list = FetchedResultsController(puppies, context: context)
    try list.performFetch()  // live from here on
    // end
    #expect(list.fetchedObjects.map(\.name) == ["Rex"])

    // begin background
    let id = dog.objectID
    try await container.performBackgroundTask { context in
      try context.existingObject(Dog.self, with: id).age = 9
      try context.save()
    }
    // end
    context.processPendingChanges()
    #expect(dog.age == 9)
    #expect(list.fetchedObjects.isEmpty)

    // begin primary-key
    let person = try context.upsert(Person.self, matching: \.email, equals: "ada@example.org") {
      $0.name = "Ada"
    }
    // end
    dog.owner = person
    #expect(person.dogs.contains(dog))

    // begin changes
    let queue = container.newBackgroundContext()
    let names = Dog.all.sorted(by: \.name).select(\.name)
    for try await names in queue.values(of: names) {
      print(names)
      break
    }
    // end
  }
}

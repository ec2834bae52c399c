// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import Testing

@Suite struct `A context that has merged` {
  private let container: PersistentContainer
  private let other: ContextQueue
  private let id: ObjectID

  init() throws {
    container = try geography()
    other = ContextQueue(parent: container.coordinator)
    id = try container.root.performAndWait { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
  }

  /// Saves a change and an insertion past the root.
  private func saveElsewhere() throws -> ObjectID {
    try other.performAndWait { context in
      try context.existingObject(City.self, with: id).population = 2
      let new = context.city("B").objectID
      try context.save()
      return new
    }
  }

  @Test func `says so after the change itself, with the same objects`() throws {
    let saved = MessageLog(other.layer)
    let log = MessageLog(container.root.layer)
    let new = try saveElsewhere()
    let message = try #require(saved.messages(.didSave).first)
    try container.root.performAndWait { try $0.mergeChanges(fromContextDidSave: message) }
    #expect(log.kinds == [.objectsDidChange, .didMerge])
    for message in log.messages {
      #expect(message.objects.inserted == [new])
      #expect(message.objects.refreshed == [id])
    }
  }

  @Test func `says so also if it merges by itself`() throws {
    let context = ManagedObjectContext(parent: container.root)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    let log = MessageLog(context.layer)
    let new = try saveElsewhere()
    context.processPendingChanges()
    #expect(city.population == 2)
    #expect(log.kinds == [.objectsDidChange, .didMerge])
    #expect(log.messages.last?.objects.inserted == [new])
  }

  @Test func `says nothing if there was nothing to merge, nor of saves that came from below`()
    throws
  {
    let log = MessageLog(container.root.layer)
    let child = container.newBackgroundContext()
    try child.performAndWait { context in
      context.city("C")
      try context.save()
    }
    try container.root.performAndWait { context in
      try context.save()
      try context.mergeChanges(fromRemoteContextSave: ChangedObjects())
    }
    #expect(log.kinds == [.objectsDidChange, .willSave, .didSave])
  }
}

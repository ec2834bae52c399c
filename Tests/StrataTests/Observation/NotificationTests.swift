// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import Synchronization
import Testing

@Suite struct `A context's notifications` {
  @Test func `tell a turn once, then the save, in IDs`() async throws {
    let container = try geography()
    let log = MessageLog(container.root.layer)
    let (a, b) = try await container.root.perform { context in
      context.name = "root"
      let (a, b) = (context.city("A"), context.city("B"))
      a.population = 4
      return (a.objectID, b.objectID)
    }
    try await container.root.perform { try $0.save() }
    #expect(log.kinds == [.objectsDidChange, .willSave, .didSave])
    #expect(log.messages.allSatisfy { $0.objects.inserted == [a, b] })
    #expect(log.messages.allSatisfy { $0.contextName == "root" })
  }

  @Test func `reach observers of all names, of one context and of any`() async throws {
    let container = try geography()
    let layer = container.root.layer
    let ofOne = Mutex<[ManagedObjectContext.Message.Kind]>([])
    let ofAny = Mutex<[ManagedObjectContext.Message.Kind]>([])
    let observers = [
      NotificationCenter.default.addObserver(forName: nil, object: layer, queue: nil) { posted in
        if let message = ManagedObjectContext.Message(posted) {
          ofOne.withLock { $0.append(message.kind) }
        }
      },
      NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { posted in
        // Other tests' contexts post at the same time.
        if let message = ManagedObjectContext.Message(posted),
          posted.object as? ContextLayer == layer
        {
          ofAny.withLock { $0.append(message.kind) }
        }
      },
    ]
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    try await container.root.perform { context in
      _ = context.city("A")
      try context.save()
    }
    let expected: [ManagedObjectContext.Message.Kind] = [.objectsDidChange, .willSave, .didSave]
    #expect(ofOne.withLock { $0 } == expected)
    #expect(ofAny.withLock { $0 } == expected)
  }

  @Test func `tell threads the same that ask at once`() async throws {
    let container = try geography()
    let log = MessageLog(container.root.layer)
    let id = try await container.root.perform { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
    let answers = Mutex<[Set<ObjectID>]>([])
    for message in log.messages {
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        let inserted = message.objects.inserted
        answers.withLock { $0.append(inserted) }
      }
    }
    #expect(answers.withLock { $0 } == Array(repeating: [id], count: 24))
  }

  @Test func `of a parent report a child's integrated save, even if the parent is not used`()
    async throws
  {
    let container = try geography()
    let integrated = AsyncStream<ManagedObjectContext.Message>.makeStream()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: container.root.layer,
      queue: nil
    ) { notification in
      if let message = ManagedObjectContext.Message(notification) {
        integrated.continuation.yield(message)
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let id = try await container.newBackgroundContext().perform { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
    var messages = integrated.stream.makeAsyncIterator()
    #expect(await messages.next()?.objects.inserted == [id])
  }

  @Test func `report the changes that a rollback reverts`() async throws {
    let container = try geography()
    let (kept, deleted) = try await container.root.perform { context in
      let (kept, deleted) = (context.city("A"), context.city("B"))
      try context.save()
      return (kept.objectID, deleted.objectID)
    }
    let log = MessageLog(container.root.layer)
    let inserted = try await container.root.perform { context in
      try context.existingObject(City.self, with: kept).name = "Z"
      context.delete(try context.existingObject(City.self, with: deleted))
      let inserted = context.city("C").objectID
      context.rollback()
      return inserted
    }
    #expect(log.messages.count == 2)
    #expect(log.messages.last?.objects.refreshed == [kept])
    #expect(log.messages.last?.objects.inserted == [deleted])
    #expect(log.messages.last?.objects.deleted == [inserted])
  }

  @Test func `name both ends of a link that changed`() async throws {
    let container = try geography()
    let (iran, language) = try await container.root.perform { context in
      let (iran, language) = (context.country("IR"), Language(context: context))
      try context.save()
      return (iran.objectID, language.objectID)
    }
    let log = MessageLog(container.root.layer)
    try await container.root.perform { context in
      let country = try context.existingObject(Country.self, with: iran)
      country.languages.insert(try context.existingObject(Language.self, with: language))
    }
    #expect(log.messages.last?.objects.updated == [iran, language])
  }

  @Test func `let an observer call back into any context`() async throws {
    let container = try geography()
    let root = container.root
    let counts = Mutex<[Int]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: root.layer, queue: nil
    ) { _ in
      let count = try? root.performAndWait { try $0.count(City.all) }
      counts.withLock { $0.append(count ?? -1) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await root.perform { context in
      context.city("A")
      try context.save()
    }
    #expect(counts.withLock { $0 } == [1])
  }

  @Test func `of a reset name all objects that were registered as invalidated, once`() async throws
  {
    let container = try geography()
    let log = MessageLog(container.root.layer)
    let (saved, changed, inserted) = try await container.root.perform { context in
      let (saved, changed) = (context.city("A"), context.city("B"))
      try context.save()
      changed.name = "C"
      let inserted = context.city("D")
      context.processPendingChanges()
      let ids = (saved.objectID, changed.objectID, inserted.objectID)
      context.reset()
      return ids
    }
    let message = try #require(log.messages.last)
    #expect(message.objects.invalidated == [saved, changed, inserted])
    #expect(message.objects.refreshed.isEmpty && message.objects.deleted.isEmpty)
    #expect(log.messages(.objectsDidChange).count == 3)
  }

  @Test func `leave out objects that were inserted and deleted in one turn`() async throws {
    let container = try geography()
    let log = MessageLog(container.root.layer)
    let (kept, dropped) = try await container.root.perform { context in
      let dropped = context.city("A")
      let id = dropped.objectID
      _ = try context.count(City.all)
      context.delete(dropped)
      return (context.city("B").objectID, id)
    }
    #expect(log.messages.map(\.objects.inserted) == [[kept]])
    #expect(log.messages.allSatisfy { !$0.objects.deleted.contains(dropped) })
    try await container.root.perform { context in context.delete(context.city("C")) }
    #expect(log.messages.count == 1, "a turn of nothing else is not told of at all")
  }

  @Test func `report a merge policy's results, after the save`() async throws {
    let container = try geography()
    let root = container.root
    let ids = try await root.perform { context in
      let cities = ["updated", "gone", "kept"].map { context.city($0, population: 1) }
      try context.save()
      return cities.map(\.objectID)
    }
    let other = ContextQueue(parent: container.coordinator)
    try await root.perform { context in
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.existingObject(City.self, with: ids[0]).population = 2
      try context.existingObject(City.self, with: ids[1]).population = 2
      context.delete(try context.existingObject(City.self, with: ids[2]))
    }
    try await other.perform { context in
      try context.existingObject(City.self, with: ids[0]).name = "theirs"
      context.delete(try context.existingObject(City.self, with: ids[1]))
      try context.existingObject(City.self, with: ids[2]).name = "theirs"
      try context.save()
    }
    let log = MessageLog(root.layer)
    try await root.perform { try $0.save() }
    let saved = try #require(log.messages(.didSave).last).objects
    #expect(saved.updated == [ids[0], ids[2]])
    #expect(saved.deleted == [ids[1]])
    #expect(saved.changedProperties(of: ids[0]) == nil)
    let changed = try #require(log.messages(.objectsDidChange).last).objects
    #expect(changed.refreshed == [ids[0]])
    #expect(changed.deleted == [ids[1]])
    #expect(changed.inserted == [ids[2]])
    let names = try await root.perform { try $0.cityNames() }
    #expect(names == ["theirs", "theirs"])
  }

  @Test func `are numbered, kind by kind`() async throws {
    let container = try geography()
    let log = MessageLog(container.root.layer)
    for name in ["A", "B"] {
      try await container.root.perform { context in
        context.city(name)
        try context.save()
      }
    }
    for kind in [ManagedObjectContext.Message.Kind.objectsDidChange, .willSave, .didSave] {
      #expect(log.messages(kind).map(\.number) == [1, 2])
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Synchronization
import Testing

@Suite struct `A context's notifications` {
  /// Collects what a context posts.
  private final class Log: Sendable {
    private let entries = Mutex<[(Notification.Name, ManagedObjectContext.Message)]>([])
    private let tokens = Mutex<[Token]>([])

    // Safety: the token is only handed back to the notification centre.
    private struct Token: @unchecked Sendable { let observer: any NSObjectProtocol }

    init(_ layer: Layer) {
      for name in [
        ManagedObjectContext.objectsDidChangeNotification,
        ManagedObjectContext.willSaveNotification, ManagedObjectContext.didSaveNotification,
      ] {
        let observer = NotificationCenter.default.addObserver(
          forName: name, object: layer, queue: nil
        ) { [weak self] notification in
          guard let message = ManagedObjectContext.Message(notification) else { return }
          self?.entries.withLock { $0.append((name, message)) }
        }
        let token = Token(observer: observer)
        tokens.withLock { $0.append(token) }
      }
    }

    deinit {
      for token in tokens.withLock({ $0 }) {
        NotificationCenter.default.removeObserver(token.observer)
      }
    }

    var names: [Notification.Name] { entries.withLock { $0.map(\.0) } }
    var messages: [ManagedObjectContext.Message] { entries.withLock { $0.map(\.1) } }
  }

  @Test func `tell a turn once, then the save, in IDs`() async throws {
    let container = try geography()
    let log = Log(container.root.layer)
    let (a, b) = try await container.root.perform { context in
      context.name = "root"
      let (a, b) = (context.city("A"), context.city("B"))
      a.population = 4
      return (a.objectID, b.objectID)
    }
    try await container.root.perform { try $0.save() }
    #expect(
      log.names == [
        ManagedObjectContext.objectsDidChangeNotification,
        ManagedObjectContext.willSaveNotification, ManagedObjectContext.didSaveNotification,
      ])
    #expect(log.messages.allSatisfy { $0.objects.inserted == [a, b] })
    #expect(log.messages.allSatisfy { $0.contextName == "root" })
  }

  @Test func `of a parent tell a child's save that landed, even if nobody touches the parent`()
    async throws
  {
    let container = try geography()
    let landed = AsyncStream<ManagedObjectContext.Message>.makeStream()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: container.root.layer,
      queue: nil
    ) { notification in
      if let message = ManagedObjectContext.Message(notification) {
        landed.continuation.yield(message)
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let id = try await container.newBackgroundContext().perform { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
    var messages = landed.stream.makeAsyncIterator()
    #expect(await messages.next()?.objects.inserted == [id])
  }

  @Test func `tell what a rollback takes back`() async throws {
    let container = try geography()
    let (kept, deleted) = try await container.root.perform { context in
      let (kept, deleted) = (context.city("A"), context.city("B"))
      try context.save()
      return (kept.objectID, deleted.objectID)
    }
    let log = Log(container.root.layer)
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
      let (iran, language) = (context.country("IR"), Language(in: context))
      try context.save()
      return (iran.objectID, language.objectID)
    }
    let log = Log(container.root.layer)
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
      let count = try? root.performAndWait { try $0.count(for: City.all) }
      counts.withLock { $0.append(count ?? -1) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await root.perform { context in
      context.city("A")
      try context.save()
    }
    #expect(counts.withLock { $0 } == [1])
  }
}

// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

// Where pushes, saves, turns and observers meet.

@Suite struct `A push that meets others` {
  @Test func `deletes objects that only the parent has linked, and the parent's objects show it`()
    throws
  {
    let root = try geography().root
    let child = ContextQueue(parent: root)
    let countryID = try root.performAndWait { $0.country("X").objectID }
    try child.performAndWait { context in
      context.delete(try context.existingObject(Country.self, with: countryID))
    }
    let cityID = try root.performAndWait { context in
      context.city("C", in: try context.existingObject(Country.self, with: countryID)).objectID
    }
    try child.performAndWait { try $0.save() }
    try root.performAndWait { context in
      #expect(context.registeredObject(for: cityID) == nil)
      let names = try context.cityNames()
      #expect(names == [])
      #expect(!context.hasChanges)
      try context.save()
    }
  }

  @Test func `and links to an object that came and went drops the link`() throws {
    let root = try geography().root
    let (one, other) = (ContextQueue(parent: root), ContextQueue(parent: root))
    let countryID = try one.performAndWait { context in
      let id = context.country("X").objectID
      try context.save()
      return id
    }
    let cityID = try other.performAndWait { context in
      context.city("C", in: try context.existingObject(Country.self, with: countryID)).objectID
    }
    try one.performAndWait { context in
      context.delete(try context.existingObject(Country.self, with: countryID))
      try context.save()
    }
    try root.performAndWait { #expect(!$0.hasChanges) }
    try other.performAndWait { try $0.save() }
    try root.performAndWait { context in
      try context.save()
      #expect(try context.existingObject(City.self, with: cityID).country == nil)
    }
  }

  @Test func `of an object with transient values is no conflict with the root's own save`() throws {
    let root = try geography().root
    let child = ContextQueue(parent: root)
    let id = try child.performAndWait { context in
      let city = context.city("A")
      city.note = "kept in memory"
      try context.save()
      return city.objectID
    }
    try root.performAndWait { try $0.save() }
    try child.performAndWait { context in
      try context.existingObject(City.self, with: id).population = 1
      try context.save()
    }
    try root.performAndWait { try $0.save() }
  }
}

@Suite struct `An observer of the end of a turn` {
  /// Calls `body` once, from within the next objectsDidChange of `queue`'s context.
  private func once(
    _ queue: ContextQueue, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) -> any NSObjectProtocol {
    let isDone = Atomic<Bool>.Box()
    return NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: queue.layer, queue: nil
    ) { _ in
      if isDone.value.exchange(true, ordering: .relaxed) { return }
      try? queue.performAndWait { try body($0) }
    }
  }

  @Test func `may read without the next turn reading the same again`() throws {
    let container = try geography()
    let (root, other) = (container.root, ContextQueue(parent: container.coordinator))
    let observer = once(root) { _ = try $0.count(City.all) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try root.performAndWait { _ = $0.city("A") }
    try other.performAndWait { context in
      context.city("B")
      try context.save()
    }
    #expect(try root.performAndWait { try $0.count(City.all) } == 2)
  }

  @Test func `may edit, and children see it`() throws {
    let root = try geography().root
    let child = ContextQueue(parent: root)
    let observer = once(root) { _ = $0.city("B") }
    defer { NotificationCenter.default.removeObserver(observer) }
    let id = try root.performAndWait { $0.city("A").objectID }
    #expect(try child.performAndWait { try $0.cityNames() } == ["A", "B"])
    try child.performAndWait { context in
      try context.existingObject(City.self, with: id).name = "C"
      try context.save()
    }
    #expect(try root.performAndWait { try $0.cityNames() } == ["B", "C"])
  }
}

extension Atomic<Bool> {
  fileprivate final class Box: Sendable {
    let value = Atomic<Bool>(false)
  }
}

@Suite struct `A queue among many threads` {
  @Test func `sees no deadlock where there is none, and gets past those that there are`() throws {
    let container = try geography()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let falseAlarms = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for _ in 0..<2_000 {
        do { try one.performAndWait { _ in } } catch {
          falseAlarms.wrappingAdd(1, ordering: .relaxed)
        }
        let (outer, inner) = thread % 2 == 0 ? (one, other) : (other, one)
        try? outer.performAndWait { _ in try inner.performAndWait { _ in } }
      }
    }
    #expect(falseAlarms.load(ordering: .relaxed) == 0)
  }

  @Test func `finishes the save that a cancelled task began`() async throws {
    let root = try geography().root
    for round in 0..<100 {
      try await root.perform { _ = $0.city("\(round)") }
      let task = Task { try await root.save() }
      if round % 2 == 0 { await Task.yield() }
      task.cancel()
      let isSaved: Bool
      do {
        try await task.value
        isSaved = true
      } catch is CancellationError {
        isSaved = false
      }
      let hasChanges = try await root.perform { $0.hasChanges }
      #expect(hasChanges != isSaved)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// The root and `depth` contexts, each the child of the one before.
private func levels(_ container: PersistentContainer, depth: Int) -> [ContextQueue] {
  (0..<depth).reduce(into: [container.root]) { levels, _ in
    levels.append(ContextQueue(parent: levels[levels.count - 1]))
  }
}

extension ContextQueue {
  fileprivate func save() throws { try performAndWait { try $0.save() } }

  fileprivate func hasChanges() throws -> Bool { try performAndWait { $0.hasChanges } }

  /// The values that a new child of this context reads.
  fileprivate func published() throws -> [String] {
    try ContextQueue(parent: self).performAndWait { context in
      try context.fetch(City.all.sorted(by: \.name)).map { "\($0.name) \($0.population)" }
    }
  }
}

@Suite struct `Contexts nested two thousand deep` {
  /// Runs `body` on a thread with the smallest usual stack.
  private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
    let outcome = Mutex<Result<Void, any Error>>(.success(()))
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      let result = Result { try body() }
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    isDone.wait()
    try outcome.withLock { $0 }.get()
  }

  @Test func `read and save through all levels, and are released, on a small stack`() throws {
    let container = try geography()
    try onSmallStack {
      var queues = levels(container, depth: 2_000)
      try queues[2_000].performAndWait { _ = $0.city("deep") }
      #expect(try queues[2_000].published() == ["deep 0"])
      try queues[2_000].save()
      #expect(try queues[1_999].performAndWait { try $0.count(City.all) } == 1)
      // The innermost context keeps all the others.
      queues.removeSubrange(0..<2_000)
      queues.removeAll()
    }
  }

  @Test func `in one isolation end their ancestors' turns, on a small stack`() throws {
    let container = try geography()
    try onSmallStack {
      try container.root.performAndWait { root in
        var context = root
        for _ in 0..<400 { context = ManagedObjectContext(parent: context) }
        _ = context.city("deep")
        try context.save()
        #expect(!context.hasChanges)
      }
    }
  }
}

@Suite struct `Contexts nested eight deep` {
  private let container: PersistentContainer
  private let levels: [ContextQueue]

  init() throws {
    container = try geography()
    levels = StrataTests.levels(container, depth: 8)
  }

  @Test func `see their ancestors' unsaved changes, and no others`() throws {
    for (level, queue) in levels.enumerated() {
      try queue.performAndWait { _ = $0.city("\(level)") }
    }
    let sibling = ContextQueue(parent: levels[3])
    for (level, queue) in levels.enumerated() {
      let names = try queue.performAndWait { try $0.cityNames() }
      #expect(names == (0...level).map(String.init))
    }
    #expect(try sibling.performAndWait { try $0.cityNames() } == ["0", "1", "2", "3"])
  }

  @Test func `save one level at a time, in memory`() throws {
    try levels[8].performAndWait { _ = $0.city("A") }
    for level in (1...8).reversed() {
      #expect(try levels[level].hasChanges())
      #expect(try levels[level - 1].hasChanges() == false)
      try levels[level].save()
      #expect(try levels[level].hasChanges() == false)
      #expect(try levels[level - 1].published() == ["A 0"])
      if level > 1 { #expect(try levels[level - 2].published() == []) }
    }
    let other = ContextQueue(parent: container.coordinator)
    #expect(try other.published() == [])
    try levels[0].save()
    #expect(try other.published() == ["A 0"])
  }

  @Test func `push only the properties that they changed`() throws {
    let id = try levels[0].performAndWait { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
    // The odd levels set the name, the even ones the population, all having read the same.
    for queue in levels { try queue.performAndWait { _ = try $0.cityNames() } }
    for (level, queue) in levels.enumerated().reversed() where level > 0 {
      try queue.performAndWait { context in
        let city = try context.existingObject(City.self, with: id)
        if level % 2 == 1 { city.name = "\(level)" } else { city.population = level }
      }
    }
    // From the bottom up: each level's own change is beneath those that came from below.
    for level in (1...8).reversed() { try levels[level].save() }
    #expect(try levels[0].published() == ["7 8"])
    // And the other way round: a level pushes only its own changes.
    try levels[0].performAndWait { $0.rollback() }
    for (level, queue) in levels.enumerated() where level > 0 {
      try queue.performAndWait { context in
        context.reset()
        let city = try context.existingObject(City.self, with: id)
        if level % 2 == 1 { city.name = "\(level)" } else { city.population = level }
      }
    }
    for level in (1...8).reversed() { try levels[level].save() }
    try levels[0].save()
    #expect(try levels[0].published() == ["7 8"])
  }

  @Test func `leave loaded objects of siblings and descendants as they are, until they read anew`()
    throws
  {
    let id = try levels[0].performAndWait { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
    let sibling = ContextQueue(parent: levels[1])
    for queue in [sibling, levels[3]] {
      // A confined context's objects live on between turns.
      let reader = ManagedObjectContext(parent: queue)
      let city = try reader.existingObject(City.self, with: id)
      try levels[2].performAndWait { context in
        context.reset()
        try context.existingObject(City.self, with: id).population += 1
        context.city("new")
        try context.save()
      }
      let before = city.population
      reader.processPendingChanges()
      #expect(city.population == before)
      let ids = try reader.fetchIDs(City.where { $0.name == "new" })
      #expect(!ids.isEmpty)
      #expect(city.population == before, "a fetch does not change loaded objects")
      reader.reset()
      #expect(try reader.existingObject(City.self, with: id).population == before + 1)
    }
  }
}

@Suite struct `The base of an optimistic lock` {
  @Test(arguments: 1...8)
  func `survives every level: the root finds a conflict over a change made far above`(
    depth: Int
  ) throws {
    let container = try geography()
    let levels = levels(container, depth: depth)
    let id = try levels[0].performAndWait { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
    try levels[depth].performAndWait { context in
      try context.existingObject(City.self, with: id).population = 2
    }
    let other = ContextQueue(parent: container.coordinator)
    try other.performAndWait { context in
      try context.existingObject(City.self, with: id).population = 3
      try context.save()
    }
    // Half way, a level that has read the newer state changes another property.
    try levels[depth / 2].performAndWait { context in
      if depth > 1 { try context.existingObject(City.self, with: id).name = "B" }
    }
    for level in (1...depth).reversed() { try levels[level].save() }
    do {
      try levels[0].save()
      Issue.record("the save went through")
    } catch StoreError.conflicts(let conflicts) {
      #expect(conflicts.map(\.objectID) == [id])
      #expect(conflicts.first?.baseValues?["population"] == .int(1))
      #expect(conflicts.first?.ourValues?["population"] == .int(2))
      #expect(conflicts.first?.theirValues?["population"] == .int(3))
    }
    #expect(try levels[0].hasChanges())
    // Each property that was changed wins; the other writer's stays elsewhere.
    try levels[0].performAndWait { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
    }
    #expect(try other.published() == [depth > 1 ? "B 2" : "A 2"])
  }
}

@Suite struct `An object that is inserted, updated and deleted on different levels` {
  /// Which of three levels inserts, which updates, which deletes.
  static let ways: [[Int]] = (0..<3).flatMap { insert in
    (0..<3).flatMap { update in (0..<3).map { [insert, update, $0] } }
  }

  /// Saves from `level` up, until `target` sees its changes.
  private func lift(_ levels: [ContextQueue], from level: Int, to target: Int) throws {
    guard level > target else { return }
    for next in (target + 1...level).reversed() { try levels[next].save() }
  }

  private func world() throws -> (container: PersistentContainer, levels: [ContextQueue]) {
    let container = try geography()
    return (container, levels(container, depth: 2))
  }

  @Test(arguments: ways)
  func `one after the other leaves nothing`(way: [Int]) throws {
    let (container, levels) = try world()
    let (insert, update, delete) = (way[0], way[1], way[2])
    let id = try levels[insert].performAndWait { $0.city("A").objectID }
    try lift(levels, from: insert, to: update)
    try levels[update].performAndWait { context in
      try context.existingObject(City.self, with: id).population = 7
    }
    #expect(try levels[update].published() == ["A 7"])
    try lift(levels, from: update, to: delete)
    // If the deleting context is below, it sees the update; if it is above, it has received it.
    #expect(try levels[delete].published() == ["A 7"])
    try levels[delete].performAndWait { context in
      context.delete(try context.existingObject(City.self, with: id))
    }
    #expect(try levels[delete].published() == [])
    try levels[2].save()
    try levels[1].save()
    #expect(try levels[0].hasChanges() == false, "what came and went is no change")
    try levels[0].save()
    for queue in levels + [ContextQueue(parent: container.coordinator)] {
      #expect(try queue.published() == [])
    }
  }

  @Test(arguments: ways)
  func `and the update made without knowing of the deletion leaves nothing either`(
    way: [Int]
  ) throws {
    let (container, levels) = try world()
    let (insert, update, delete) = (way[0], way[1], way[2])
    let id = try levels[insert].performAndWait { $0.city("A").objectID }
    try lift(levels, from: insert, to: min(update, delete))
    let (updating, deleting) = (levels[update], levels[delete])
    let edit: @Sendable () throws -> Void = {
      try updating.performAndWait { context in
        try context.existingObject(City.self, with: id).population = 7
      }
    }
    let remove: @Sendable () throws -> Void = {
      try deleting.performAndWait { context in
        context.delete(try context.existingObject(City.self, with: id))
      }
    }
    // The lower of the two cannot know later changes of the upper one.
    if update >= delete {
      try edit()
      try remove()
    } else {
      try remove()
      try edit()
    }
    try levels[2].save()
    try levels[1].save()
    try levels[0].save()
    for queue in levels + [ContextQueue(parent: container.coordinator)] {
      #expect(try queue.published() == [])
      #expect(try queue.hasChanges() == false)
    }
  }
}

@Suite struct `A child's cascade` {
  @Test func `reaches members that exist only as pending inserts of its ancestors`() throws {
    let container = try geography()
    let levels = levels(container, depth: 4)
    let id = try levels[0].performAndWait { context in
      let country = context.country("X")
      context.city("stored", in: country)
      try context.save()
      return country.objectID
    }
    let insert: (Int, String) throws -> Void = { level, name in
      try levels[level].performAndWait { context in
        _ = context.city(name, in: try context.existingObject(Country.self, with: id))
      }
    }
    for level in 0...4 { try insert(level, "pending \(level)") }
    try levels[4].performAndWait { context in
      context.delete(try context.existingObject(Country.self, with: id))
      #expect(try context.cityNames() == [])
    }
    // These it cannot have seen.
    for level in 0...3 { try insert(level, "later \(level)") }
    for level in (1...4).reversed() {
      try levels[level].save()
      let names = try levels[level - 1].performAndWait { try $0.cityNames() }
      // The push reaches the receiver's objects; those of the contexts above it, when it arrives
      // there.
      #expect(names == (0..<level - 1).map { "later \($0)" })
    }
    try levels[0].save()
    #expect(try ContextQueue(parent: container.coordinator).published() == [])
  }
}

@Suite struct `A push` {
  @Test func `does not depend on the child's instances being alive`() throws {
    let container = try geography()
    let count = 500
    try container.root.performAndWait { context in
      for index in 0..<count { context.city("\(index)") }
      try context.save()
    }
    let child = container.newBackgroundContext()
    try child.performAndWait { context in
      context.cacheByteBudget = 0
      for city in try context.fetch(City.all) { city.population = 1 }
      context.city("new", population: 1)
    }
    // The program holds no object; the turn's end has released those that it may.
    try child.performAndWait { context in
      context.delete(try context.fetch(City.where { $0.name == "0" })[0])
    }
    try child.performAndWait { try $0.save() }
    #expect(
      try container.root.performAndWait { try $0.count(City.where { $0.population == 1 }) }
        == count)
  }

  @Test func `is integrated also if the child is gone by then`() throws {
    let container = try geography()
    try container.root.performAndWait { _ in
      // The parent is busy: the push waits.
      try elsewhere {
        try container.newBackgroundContext().performAndWait { context in
          context.city("A")
          try context.save()
        }
      }
    }
    try container.root.performAndWait { try $0.save() }
    #expect(try ContextQueue(parent: container.coordinator).published() == ["A 0"])
  }
}

// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

extension ContextQueue {
  fileprivate func names() throws -> [String] {
    try performAndWait { context in
      if !context.hasChanges { context.reset() }
      return try context.cityNames()
    }
  }

  fileprivate func insert(_ name: String) throws {
    try performAndWait { context in
      context.city(name)
      try context.save()
    }
  }

  fileprivate func pin(to token: QueryGenerationToken? = .current) throws {
    try performAndWait { try $0.setQueryGeneration(from: token) }
  }

  fileprivate var token: QueryGenerationToken? {
    get throws { try performAndWait { $0.queryGenerationToken } }
  }
}

@Suite struct `A context that is pinned to a query generation` {
  private let container: PersistentContainer
  private let root: ContextQueue
  /// Another topmost context: its saves go to the store past the root.
  private let other: ContextQueue

  init() throws {
    container = try geography()
    root = container.root
    other = ContextQueue(parent: container.coordinator)
  }

  @Test func `is pinned to none by default`() throws {
    #expect(try root.token == nil)
    try root.pin()
    #expect(try root.token != nil)
    try root.pin(to: nil)
    #expect(try root.token == nil)
  }

  @Test func `reads one state turn after turn, until it is unpinned`() throws {
    try other.insert("A")
    try root.pin()
    try other.insert("B")
    #expect(try root.names() == ["A"])
    try other.performAndWait { context in
      for city in try context.fetch(City.all) { context.delete(city) }
      try context.save()
    }
    #expect(try root.names() == ["A"])
    #expect(try root.performAndWait { try $0.count(City.where { $0.name == "B" }) } == 0)
    try root.pin(to: nil)
    #expect(try root.names() == [])
  }

  @Test func `moves on when it is set to the current one again`() throws {
    try root.pin()
    let first = try root.token
    try other.insert("A")
    #expect(try root.names() == [])
    try root.pin()
    #expect(try root.names() == ["A"])
    #expect(try root.token != first)
  }

  @Test func `has its own unsaved changes on top`() throws {
    try other.insert("A")
    try root.pin()
    try other.insert("B")
    try root.performAndWait { _ = $0.city("mine") }
    #expect(try root.performAndWait { try $0.cityNames() } == ["A", "mine"])
    try root.performAndWait { $0.rollback() }
    #expect(try root.names() == ["A"])
  }

  @Test func `moves on when it saves, to the state with its save in it`() throws {
    try root.pin()
    let first = try root.token
    try other.insert("A")
    try root.performAndWait { context in
      #expect(try context.cityNames() == [])
      context.city("mine")
      try context.save()
      #expect(try context.cityNames() == ["A", "mine"])
    }
    let second = try root.token
    #expect(second != nil && second != first)
    try other.insert("B")
    #expect(try root.names() == ["A", "mine"])
    try root.performAndWait { try $0.save() }
    #expect(try root.token == second, "a save without changes is none")
  }

  @Test func `moves on when its queue is saved while the disk works`() async throws {
    try root.pin()
    try other.insert("A")
    try root.performAndWait { _ = $0.city("mine") }
    try await root.save()
    try other.insert("B")
    #expect(try root.names() == ["A", "mine"])
  }

  @Test func `stays where it is when its save is refused`() throws {
    try root.pin()
    let token = try root.token
    try other.performAndWait { context in
      context.country("IR")
      try context.save()
    }
    try root.performAndWait { context in
      context.country("IR")
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
      #expect(context.hasChanges)
    }
    #expect(try root.token == token)
  }

  @Test func `may be nested, and reads one state of its ancestors too`() throws {
    let (child, sibling) = (ContextQueue(parent: root), ContextQueue(parent: root))
    try sibling.insert("A")
    try child.pin()
    try sibling.insert("B")
    try root.performAndWait { try $0.save() }
    try other.insert("C")
    #expect(try child.names() == ["A"])
    #expect(try sibling.names() == ["A", "B", "C"])
    // Its own save moves it on.
    try child.insert("D")
    #expect(try child.names() == ["A", "B", "C", "D"])
    try sibling.insert("E")
    #expect(try child.names() == ["A", "B", "C", "D"])
  }

  @Test func `is read through by its children, and by theirs`() throws {
    let child = ContextQueue(parent: root)
    let grandchild = ContextQueue(parent: child)
    try other.insert("A")
    try root.pin()
    try other.insert("B")
    for queue in [child, grandchild] { #expect(try queue.names() == ["A"]) }
    try grandchild.insert("G")
    #expect(try child.names() == ["A", "G"])
    try child.performAndWait { try $0.save() }
    #expect(try root.names() == ["A", "G"])
    // The root's save moves it on, and all that read through it.
    try root.performAndWait { try $0.save() }
    try other.insert("C")
    for queue in [root, child, grandchild] { #expect(try queue.names() == ["A", "B", "G"]) }
  }

  @Test func `may be pinned below a pinned parent, and stays when that moves on`() throws {
    let child = ContextQueue(parent: root)
    try other.insert("A")
    try root.pin()
    try other.insert("B")
    try child.pin()
    try root.pin()
    #expect(try root.names() == ["A", "B"])
    #expect(try child.names() == ["A"])
    try child.pin(to: nil)
    #expect(try child.names() == ["A", "B"])
  }

  @Test func `shares its state with others of the same parent`() throws {
    let (one, another) = (ContextQueue(parent: root), ContextQueue(parent: root))
    try root.performAndWait { _ = $0.city("A") }
    try one.pin()
    try root.performAndWait { _ = $0.city("B") }
    try another.pin(to: try one.token)
    #expect(try another.names() == ["A"])
    #expect(try one.token == another.token)
    // One saves and moves on; the other stays.
    try one.insert("C")
    #expect(try one.names() == ["A", "B", "C"])
    #expect(try another.names() == ["A"])
    #expect(try one.token != another.token)
  }

  @Test func `refuses a token of another parent or another store`() throws {
    let child = ContextQueue(parent: root)
    try root.pin()
    let token = try root.token
    #expect(throws: ContextError.foreignQueryGeneration) { try child.pin(to: token) }
    #expect(try child.token == nil)
    let stranger = try geography()
    #expect(throws: ContextError.foreignQueryGeneration) { try stranger.root.pin(to: token) }
    try other.pin(to: token)
    #expect(try other.token == token)
  }

  @Test func `saves over a newer store as a conflict`() throws {
    let id = try root.performAndWait { context in
      let city = context.city("A", population: 1)
      try context.save()
      context.reset()
      return city.objectID
    }
    try root.pin()
    try other.performAndWait { context in
      try context.existingObject(City.self, with: id).population = 2
      try context.save()
    }
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      #expect(city.population == 1)
      city.population = 3
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.conflicts(let conflicts) {
        #expect(conflicts.map(\.objectID) == [id])
        #expect(conflicts.first?.baseValues?["population"] == .int(1))
        #expect(conflicts.first?.theirValues?["population"] == .int(2))
      }
      context.mergePolicy = .overwrite
      try context.save()
    }
    #expect(
      try other.performAndWait { context in
        context.reset()
        return try context.existingObject(City.self, with: id).population
      } == 3)
  }

  @Test func `moves on to the parent's state with a save that is made inside the parent's turn`()
    throws
  {
    let child = ContextQueue(parent: root)
    let grandchild = ContextQueue(parent: child)
    try child.pin()
    try root.performAndWait { context in
      context.city("R")
      try child.performAndWait { context in
        #expect(try context.cityNames() == [], "what the parent has published")
        context.city("C")
        try context.save()
        #expect(try context.cityNames() == ["C", "R"])
      }
      let seen = try elsewhere { try grandchild.names() }
      #expect(seen == ["C", "R"])
    }
    for queue in [child, grandchild] { #expect(try queue.names() == ["C", "R"]) }
    try child.pin(to: nil)
    for queue in [child, grandchild] { #expect(try queue.names() == ["C", "R"]) }
  }

  @Test func `shares a snapshot among threads that read at the same time`() throws {
    try other.performAndWait { context in
      for index in 0..<200 { context.city("\(index)", population: index) }
      try context.save()
    }
    try root.pin()
    let queues = (0..<4).map { _ in ContextQueue(parent: root) }
    let threads = queues.map { queue in
      HeldThread { _ in
        for _ in 0..<20 {
          let sum = try queue.performAndWait { context in
            context.reset()
            // Faults fire one by one, within a scan of the index and beside it.
            return try context.fetch(City.where { $0.population >= 0 }).reduce(0) {
              $0 + $1.population
            }
          }
          try #require(sum == 19_900)
        }
      }
    }
    for round in 0..<20 { try other.insert("new \(round)") }
    for thread in threads { try thread.finish() }
  }
}

@Suite struct `The store's file` {
  /// How many bytes the file has after `roundCount` saves that replace everything.
  private func churn(
    _ container: PersistentContainer, _ url: URL, roundCount: Int = 30
  ) throws -> Int {
    try container.root.performAndWait { context in
      for _ in 0..<roundCount {
        for city in try context.fetch(City.all) { city.population += 1 }
        try context.save()
      }
    }
    return try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
  }

  @Test func `grows while a generation is pinned or its token kept, and no more after that`()
    throws
  {
    let directory = try TemporaryDirectory()
    let url = directory.file("geography.strata")
    let container = try geography(in: directory)
    try container.root.performAndWait { context in
      for index in 0..<1_000 { context.city("City number \(index)", population: index) }
      try context.save()
    }
    let first = try churn(container, url)
    #expect(try churn(container, url) == first, "old pages are used again")
    let reader = ContextQueue(parent: container.coordinator)
    try reader.pin()
    var token = try reader.token
    let pinned = try churn(container, url)
    #expect(pinned > first * 2, "old pages are kept")
    #expect(try reader.performAndWait { try $0.count(City.all) } == 1_000)
    try reader.pin(to: nil)
    let kept = try churn(container, url)
    #expect(kept > pinned, "the token keeps them")
    withExtendedLifetime(token) {}
    token = nil
    let released = try churn(container, url)
    #expect(released == kept)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import Testing

// A child that saves inside its parent's turn: what it saved has left the child and is not published
// by the parent before the turn ends. Nobody below may miss it meanwhile, or see it twice.

@Suite struct `A child's save inside its parent's turn` {
  private struct World {
    let container: PersistentContainer
    let parent: ContextQueue
    let child: ContextQueue
    let grandchild: ContextQueue
    let sibling: ContextQueue

    init() throws {
      container = try geography()
      parent = container.newBackgroundContext()
      child = ContextQueue(parent: parent)
      grandchild = ContextQueue(parent: child)
      sibling = ContextQueue(parent: parent)
    }

    /// What each of the contexts sees, each on a thread of its own.
    func names(_ queue: ContextQueue) throws -> [String] {
      try elsewhere { try queue.performAndWait { try $0.cityNames() } }
    }
  }

  @Test func `is seen once by grandchildren at every moment`() throws {
    let world = try World()
    let (parent, child) = (world.parent, world.child)
    try child.performAndWait { _ = $0.city("A") }
    #expect(try world.names(world.grandchild) == ["A"])
    let turn = HeldThread { thread in
      try parent.performAndWait { _ in
        try child.performAndWait { context in
          context.city("B")
          try context.save()
          thread.hold()
        }
        thread.hold()
      }
    }
    try turn.untilHeld()
    #expect(try world.names(world.grandchild) == ["A", "B"])
    #expect(try world.names(world.sibling) == [])
    turn.letGo()
    try turn.untilHeld()
    // The child's turn is over, the parent's is not.
    #expect(try world.names(world.grandchild) == ["A", "B"])
    #expect(try world.names(child) == ["A", "B"])
    #expect(try world.names(world.sibling) == [])
    turn.letGo()
    try turn.finish()
    for queue in [world.grandchild, child, world.sibling, parent] {
      #expect(try world.names(queue) == ["A", "B"])
    }
  }

  @Test func `is seen once through a chain of parents that save inside their parents' turns`()
    throws
  {
    let world = try World()
    let (root, parent, child) = (world.container.root, world.parent, world.child)
    try root.performAndWait { _ = $0.city("R") }
    let turn = HeldThread { thread in
      try root.performAndWait { rootContext in
        rootContext.city("not yet")
        try parent.performAndWait { context in
          context.city("P")
          try child.performAndWait { context in
            context.city("C")
            try context.save()
          }
          thread.hold()
          try context.save()
          thread.hold()
        }
        thread.hold()
      }
    }
    for _ in 0..<3 {
      try turn.untilHeld()
      let seen = try world.names(world.grandchild)
      #expect(seen.filter { $0 != "P" } == ["C", "R"])
      turn.letGo()
    }
    try turn.finish()
    for queue in [world.grandchild, child, world.sibling, parent, root] {
      #expect(try world.names(queue) == ["C", "P", "R", "not yet"])
    }
  }

  @Test func `is followed by later saves of the child, in their order`() throws {
    let world = try World()
    let (parent, child) = (world.parent, world.child)
    let id = try child.performAndWait { $0.city("A", population: 1).objectID }
    let turn = HeldThread { thread in
      try parent.performAndWait { context in
        try child.performAndWait { try $0.save() }
        thread.hold()
        // The child again, inside the turn: what it saved elsewhere meanwhile is there.
        try child.performAndWait { context in
          let city = try context.existingObject(City.self, with: id)
          #expect(city.population == 2)
          let names = try context.cityNames()
          #expect(names == ["A", "B"])
          city.population += 1
          try context.save()
        }
        thread.hold()
        #expect(try context.existingObject(City.self, with: id).population == 3)
      }
    }
    try turn.untilHeld()
    // From elsewhere, while the parent's turn goes on.
    try elsewhere {
      try child.performAndWait { context in
        try context.existingObject(City.self, with: id).population = 2
        context.city("B")
        try context.save()
        context.reset()
        #expect(try context.existingObject(City.self, with: id).population == 2)
      }
    }
    func population(_ queue: ContextQueue) throws -> Int {
      try elsewhere {
        try queue.performAndWait { context in
          context.reset()
          return try context.existingObject(City.self, with: id).population
        }
      }
    }
    #expect(try population(world.grandchild) == 2)
    #expect(try world.names(world.grandchild) == ["A", "B"])
    #expect(try world.names(world.sibling) == [], "A belongs to the turn, and B comes after A")
    turn.letGo()
    try turn.untilHeld()
    #expect(try population(world.grandchild) == 3)
    turn.letGo()
    try turn.finish()
    for queue in [world.grandchild, world.sibling, parent] {
      #expect(try population(ContextQueue(parent: queue)) == 3)
      #expect(try world.names(queue) == ["A", "B"])
    }
    try parent.performAndWait { try $0.save() }
    try world.container.root.performAndWait { try $0.save() }
    let other = ContextQueue(parent: world.container.coordinator)
    #expect(try population(other) == 3)
  }

  @Test func `comes after what the child saved from elsewhere during the same turn`() throws {
    let world = try World()
    let (parent, child) = (world.parent, world.child)
    let turn = HeldThread { thread in
      try parent.performAndWait { context in
        thread.hold()
        try child.performAndWait { context in
          let city = try context.fetch(City.where { $0.name == "elsewhere" }).first
          city?.name = "inside"
          try context.save()
        }
        let names = try context.cityNames()
        #expect(names == ["inside"])
        #expect(context.insertedObjects.count == 1)
      }
    }
    try turn.untilHeld()
    try elsewhere {
      try child.performAndWait { context in
        context.city("elsewhere")
        try context.save()
      }
    }
    #expect(try world.names(world.sibling) == ["elsewhere"])
    turn.letGo()
    try turn.finish()
    #expect(try world.names(ContextQueue(parent: parent)) == ["inside"])
    try parent.performAndWait { try $0.save() }
    try world.container.root.performAndWait { try $0.save() }
    #expect(try world.names(ContextQueue(parent: world.container.coordinator)) == ["inside"])
  }

  @Test func `goes with the parent's rollback, for everybody`() throws {
    let world = try World()
    let (parent, child) = (world.parent, world.child)
    try parent.performAndWait { context in
      try child.performAndWait { context in
        context.city("A")
        try context.save()
      }
      context.rollback()
    }
    for queue in [world.grandchild, child, parent] {
      #expect(try world.names(queue) == [])
    }
  }

  @Test func `many times over is still seen once, and reads stay short`() throws {
    let world = try World()
    let (parent, child) = (world.parent, world.child)
    let turn = HeldThread { thread in
      try parent.performAndWait { _ in
        for round in 0..<200 {
          try child.performAndWait { context in
            context.city("\(round)")
            for city in try context.fetch(City.where { $0.population < 3 }) { city.population += 1 }
            try context.save()
          }
        }
        thread.hold()
      }
    }
    try turn.untilHeld()
    #expect(1..<40 ~= child.layer.current.handedUp.overlay.segments.count)
    #expect(
      try elsewhere { try world.grandchild.performAndWait { try $0.count(for: City.all) } } == 200)
    turn.letGo()
    try turn.finish()
    #expect(child.layer.current.handedUp.overlay.isEmpty)
    #expect(try world.names(world.sibling).count == 200)
  }
}

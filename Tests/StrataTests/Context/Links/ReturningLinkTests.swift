// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

@MainActor
@Suite struct `Links that come and go in several contexts` {
  private let container: PersistentContainer
  private let root: ManagedObjectContext
  private let child: ManagedObjectContext
  private let (iran, iraq, language): (Country, Country, Language)

  init() throws {
    container = try geography()
    root = ManagedObjectContext(parent: container.coordinator)
    child = ManagedObjectContext(parent: root)
    (iran, iraq, language) = (root.country("IR"), root.country("IQ"), Language(context: root))
    try root.save()
  }

  /// Links iran to the language and to iraq, or takes these links away.
  private func link(_ isLinked: Bool, in context: ManagedObjectContext) throws {
    let iran = try context.existingObject(Country.self, with: iran.objectID)
    let iraq = try context.existingObject(Country.self, with: iraq.objectID)
    let language = try context.existingObject(Language.self, with: language.objectID)
    if isLinked {
      iran.languages.insert(language)
      iraq.neighbours.insert(iran)
    } else {
      language.countries.remove(iran)
      iran.neighbours.remove(iraq)
    }
  }

  private func isLinked(in context: ManagedObjectContext) throws -> Bool {
    let iran = try context.existingObject(Country.self, with: iran.objectID)
    let language = try context.existingObject(Language.self, with: language.objectID)
    #expect(iran.languages.isEmpty == language.countries.isEmpty)
    #expect(iran.languages.isEmpty == iran.neighbours.isEmpty)
    return !iran.languages.isEmpty
  }

  /// Saves the root, and says whether that has written anything.
  private func commits() throws -> Bool {
    let before = try container.coordinator.snapshot().generation
    try root.save()
    return try container.coordinator.snapshot().generation != before
  }

  private func expectNoChange(in context: ManagedObjectContext) {
    #expect(!context.hasChanges)
    #expect(!context.hasPersistentChanges)
    #expect(context.updatedObjects.isEmpty)
  }

  @Test(arguments: [false, true])
  func `are no change if a child takes back what its parent has done`(isThere: Bool) throws {
    try link(isThere, in: root)
    try root.save()
    try link(!isThere, in: root)
    root.processPendingChanges()
    #expect(root.hasChanges)
    try link(isThere, in: child)
    #expect(child.hasChanges)
    try child.save()
    expectNoChange(in: root)
    expectNoChange(in: child)
    #expect(try !commits())
    #expect(try isLinked(in: root) == isThere && isLinked(in: child) == isThere)
  }

  @Test(arguments: [false, true])
  func `are no change if a child takes back its own save`(isThere: Bool) throws {
    try link(isThere, in: root)
    try root.save()
    try link(!isThere, in: child)
    try child.save()
    #expect(root.hasChanges)
    try link(isThere, in: child)
    try child.save()
    expectNoChange(in: root)
    #expect(try !commits())
    #expect(try isLinked(in: root) == isThere)
  }

  @Test(arguments: [false, true])
  func `are no change if a sibling takes them back`(isThere: Bool) throws {
    try link(isThere, in: root)
    try root.save()
    try link(!isThere, in: child)
    try child.save()
    let sibling = ManagedObjectContext(parent: root)
    try link(isThere, in: sibling)
    try sibling.save()
    expectNoChange(in: root)
    #expect(try !commits())
  }

  @Test(arguments: [false, true])
  func `are no change at any level`(isThere: Bool) throws {
    try link(isThere, in: root)
    root.processPendingChanges()
    let grandchild = ManagedObjectContext(parent: child)
    try link(!isThere, in: grandchild)
    try grandchild.save()
    #expect(child.hasChanges)
    try link(isThere, in: grandchild)
    try grandchild.save()
    expectNoChange(in: child)
    try link(!isThere, in: grandchild)
    try grandchild.save()
    try child.save()
    expectNoChange(in: child)
    #expect(root.hasChanges == !isThere)
    #expect(try isLinked(in: root) == !isThere)
  }

  @Test func `in a list are no change if the member goes again`() throws {
    let (route, city) = (Route(context: root), root.city("A"))
    try root.save()
    try child.existingObject(Route.self, with: route.objectID).stops
      .append(child.existingObject(City.self, with: city.objectID))
    try child.save()
    #expect(root.hasChanges)
    try child.existingObject(Route.self, with: route.objectID).stops.remove(at: 0)
    try child.save()
    expectNoChange(in: root)
    #expect(try !commits())
    #expect(route.stops.isEmpty)
  }

  @Test func `are a change if others have taken the link away beneath`() throws {
    try link(true, in: root)
    try root.save()
    try link(false, in: root)
    root.processPendingChanges()
    let other = ManagedObjectContext(parent: container.coordinator)
    try link(false, in: other)
    try other.save()
    try link(true, in: child)
    try child.save()
    #expect(root.hasChanges)
    #expect(try commits())
    #expect(try isLinked(in: ManagedObjectContext(parent: container.coordinator)))
  }

  @Test func `come back with an undo in the parent, and go with another`() throws {
    root.undoManager = ManagedObjectContext.UndoManager()
    root.turn { iran.languages.insert(language) }
    try child.existingObject(Country.self, with: iran.objectID).languages
      .remove(child.existingObject(Language.self, with: language.objectID))
    try child.save()
    expectNoChange(in: root)
    root.turn { root.undo() }
    #expect(Set(iran.languages) == [language] && root.hasChanges)
    root.turn { root.undo() }
    #expect(iran.languages.isEmpty)
    expectNoChange(in: root)
    root.turn { root.redo() }
    #expect(Set(iran.languages) == [language] && root.hasChanges)
  }

  @Test func `are no change if the parent's edits were in a savepoint that throws`() throws {
    struct Refusal: Error {}
    try link(true, in: root)
    root.processPendingChanges()
    #expect(throws: Refusal.self) {
      try root.withSavepoint {
        root.city("A")
        try link(false, in: child)
        try child.save()
        #expect(try !isLinked(in: root))
        throw Refusal()
      }
    }
    #expect(try isLinked(in: root))
    #expect(root.hasChanges)
    try root.save()
    #expect(try isLinked(in: ManagedObjectContext(parent: container.coordinator)))
  }
}

@Suite struct `Links that come and go while the parent is in a turn` {
  @Test(arguments: [false, true])
  func `are no change in it`(isThere: Bool) throws {
    let container = try geography()
    let root = ContextQueue(parent: container.coordinator)
    let child = ContextQueue(parent: root)
    let (country, language) = try root.performAndWait { context in
      let (country, language) = (context.country("IR"), Language(context: context))
      if isThere { country.languages.insert(language) }
      try context.save()
      return (country.objectID, language.objectID)
    }
    @Sendable func link(_ isLinked: Bool, in context: ManagedObjectContext) throws {
      let country = try context.existingObject(Country.self, with: country)
      let language = try context.existingObject(Language.self, with: language)
      if isLinked {
        country.languages.insert(language)
      } else {
        country.languages.remove(language)
      }
    }
    try root.performAndWait { try link(!isThere, in: $0) }
    try root.performAndWait { context in
      context.city("A")
      let thread = Thread {
        try? child.performAndWait { context in
          try link(isThere, in: context)
          try context.save()
        }
      }
      thread.start()
      while !thread.isFinished { Thread.yieldToOthers() }
      context.city("B")
    }
    try root.performAndWait { context in
      for city in try context.fetch(City.all) { context.delete(city) }
      #expect(!context.hasChanges && !context.hasPersistentChanges)
      let count = try context.existingObject(Country.self, with: country).languages.count
      #expect(count == (isThere ? 1 : 0))
    }
  }
}

extension Thread {
  fileprivate static func yieldToOthers() { sched_yield() }
}

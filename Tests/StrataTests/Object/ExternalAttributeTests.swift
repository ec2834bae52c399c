// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Observation
import Strata
import StrataChanges
import StrataTestSupport
import Synchronization
import Testing

/// Whether something has happened, wherever that is.
private final class Occurrence: Sendable {
  private let state = Mutex(false)
  var isNoted: Bool { state.withLock { $0 } }
  func note() { state.withLock { $0 = true } }
}

@Suite struct `An external attribute` {
  @Test func `reads as it was set, in every context and after every save`() throws {
    let directory = try TemporaryDirectory()
    let id = try setAndSave(in: directory)
    let again = try republic(in: directory)
    #expect(try again.root.performAndWait { try $0.scan(of: id) } == scan(1), "reopened")
  }

  private func setAndSave(in directory: TemporaryDirectory) throws -> ObjectID {
    let container = try republic(in: directory)
    let worker = container.newBackgroundContext()
    let id = try worker.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      #expect(painting.scan == scan(1), "in its draft")
      #expect(painting.thumbnail == Data(), "what was never set")
      let found = try context.fetch(Painting.all).map(\.scan)
      #expect(found == [scan(1)], "encoded")
      return painting.objectID
    }
    let grandchild = ContextQueue(parent: worker)
    #expect(try grandchild.scan(of: id) == scan(1), "through the layer of a context")
    try worker.performAndWait { try $0.save() }
    #expect(try worker.performAndWait { try $0.scan(of: id) } == scan(1))
    #expect(try grandchild.scan(of: id) == scan(1), "through two layers")
    #expect(try container.root.performAndWait { try $0.scan(of: id) } == scan(1))
    try container.root.performAndWait { try $0.save() }
    for queue in [container.root, worker, grandchild] {
      #expect(try queue.performAndWait { try $0.scan(of: id) } == scan(1))
    }
    #expect(try ExternalAudit(directory).problems() == [])
    return id
  }

  @Test func `may be large, and of any length`() throws {
    let container = try republic()
    let ids = try container.root.performAndWait { context in
      let ids = [0, 1, 4_095, 4_096, 70_000, 5_000_000].map { count in
        context.painting("\(count)", scan: scan(9, count)).objectID
      }
      try context.save()
      return ids
    }
    let read = try ContextQueue(parent: container.coordinator).performAndWait { context in
      try ids.map { try context.scan(of: $0)?.count }
    }
    #expect(read == [0, 1, 4_095, 4_096, 70_000, 5_000_000])
    #expect(
      try container.root.performAndWait { try $0.scan(of: ids[5]) } == scan(9, 5_000_000))
  }

  @Test func `is nil, a default or inherited like any other`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let fresco = Fresco(context: context)
      #expect(fresco.frame == Data("oak".utf8))
      fresco.plan = scan(2)
      fresco.thumbnail = scan(3, 10)
      try context.save()
      return fresco.objectID
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let fresco = try context.existingObject(Fresco.self, with: id)
      #expect(fresco.scan == nil)
      #expect(fresco.frame == Data("oak".utf8))
      #expect(fresco.plan == scan(2))
      #expect(fresco.thumbnail == scan(3, 10))
      fresco.plan = nil
      fresco.frame = Data()
      try context.save()
      #expect(fresco.plan == nil)
      #expect(fresco.frame == Data())
    }
    try container.root.performAndWait { context in
      context.refreshAllObjects()
      let fresco = try context.existingObject(Fresco.self, with: id)
      #expect(fresco.plan == nil)
      #expect(fresco.frame == Data())
    }
  }

  @Test func `that is set to equal bytes is no change`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      painting.scan = scan(1)
      #expect(!painting.hasChanges)
      #expect(!context.hasChanges)
      painting.thumbnail = Data([1])
      painting.scan = scan(1)
      #expect(Set(painting.changedValues().keys) == ["thumbnail"])
      painting.scan = scan(2)
      painting.scan = scan(1)
      #expect(Set(painting.changedValues().keys) == ["thumbnail"])
    }
  }

  @Test func `is touched by nothing but reading it`() throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      return painting.objectID
    }
    let audit = try ExternalAudit(directory)
    // Reading the bytes would show that they are gone.
    try audit.damage { _ in nil }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let painting = try #require(
        try context.fetch(Painting.where { $0.title == "a" && $0.scan != nil }).first)
      #expect(painting.title == "a")
      painting.title = "b"
      painting.scan = scan(1)
      #expect(Set(painting.changedValues().keys) == ["title"])
      #expect(painting.committedValues()["title"] == .string("a"))
      try context.save()
      context.refresh(painting, mergeChanges: true)
      #expect(painting.title == "b")
      try context.throwWhatWasDeferred()
      #expect(painting.scan == nil)
      do {
        try context.throwWhatWasDeferred()
        Issue.record("nobody heard that the bytes are gone")
      } catch StoreError.damaged {}
      painting.scan = scan(2)
      try context.save()
      #expect(painting.scan == scan(2), "what is set again is whole again")
    }
    #expect(try container.root.scan(of: id) == scan(2))
    #expect(try audit.problems() == [])
  }

  @Test func `that is damaged is an error and never other bytes`() throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      return painting.objectID
    }
    let audit = try ExternalAudit(directory)
    let damages: [@Sendable ([UInt8]) -> [UInt8]?] = [
      { $0.dropLast() }, { $0 + [0] }, { _ in [] }, { _ in nil },
      { bytes in
        var bytes = bytes
        bytes[4_000] ^= 1
        return bytes
      },
    ]
    for (number, damage) in damages.enumerated() {
      try audit.damage(damage)
      #expect(try audit.problems().count == 1)
      #expect("damage \(number)") {
        _ = try ContextQueue(parent: container.coordinator).scan(of: id)
      } throws: { error in
        guard case StoreError.damaged(let tree, let key, _) = error else { return false }
        return tree.hasPrefix("x") && key?.contains("serial") == true
      }
      try ContextQueue(parent: container.coordinator).performAndWait { context in
        let painting = try context.existingObject(Painting.self, with: id)
        painting.scan = nil
        try context.save()
        painting.scan = scan(1)
        try context.save()
      }
      #expect(try container.root.scan(of: id) == scan(1))
    }
  }

  @Test func `is removed with its object by every deletion`() throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let audit = try ExternalAudit(directory)
    let (home, lone) = try container.root.performAndWait { context in
      let home = Gallery(context: context)
      for number in 0..<5 { context.painting("\(number)", scan: scan(UInt8(number)), in: home) }
      let lone = context.painting("lone", scan: scan(7))
      lone.thumbnail = Data([1])
      try context.save()
      return (home.objectID, lone.objectID)
    }
    #expect(try audit.count() == 7)
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      context.delete(try context.existingObject(Gallery.self, with: home))
      try context.save()
    }
    #expect(try audit.count() == 7, "nothing goes before the store is reached")
    try container.root.performAndWait { try $0.save() }
    #expect(try audit.count() == 2)
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(Painting.self, with: lone))
      try context.save()
    }
    #expect(try audit.count() == 0)
  }

  @Test func `of an object that a child has changed shows its parent's present value`() throws {
    let container = try republic()
    let root = ManagedObjectContext(parent: container.coordinator)
    let inserted = root.turn { root.painting("a", scan: scan(1)) }
    let child = ManagedObjectContext(parent: root)
    let painting = try child.existingObject(Painting.self, with: inserted.objectID)
    child.turn { painting.title = "b" }
    #expect(painting.scan == scan(1))
    root.turn { inserted.scan = scan(2) }
    child.processPendingChanges()
    #expect(painting.scan == scan(2), "nowhere but in the parent's changes")
    try root.save()
    root.turn { inserted.scan = scan(3) }
    child.processPendingChanges()
    #expect(painting.scan == scan(3), "and not what the store has")
  }

  @Test func `of an object that is held shows the store's present value`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      return painting.objectID
    }
    let reader = ManagedObjectContext(parent: container.coordinator)
    let painting = try reader.existingObject(Painting.self, with: id)
    #expect(painting.scan == scan(1))
    try container.root.performAndWait { context in
      let painting = try context.existingObject(Painting.self, with: id)
      painting.title = "b"
      painting.scan = scan(2)
      try context.save()
    }
    #expect(painting.scan == scan(1), "within the turn")
    reader.processPendingChanges()
    #expect(painting.scan == scan(2))
    #expect(painting.title == "a")
    reader.refresh(painting, mergeChanges: true)
    #expect(painting.title == "b")
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(Painting.self, with: id))
      try context.save()
    }
    reader.processPendingChanges()
    #expect(painting.scan == nil)
    #expect(painting.thumbnail == Data())
    #expect(painting.title == "b")
  }

  @Test func `is read through a pin as it was when the pin was set`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      return painting.objectID
    }
    let pinned = ContextQueue(parent: container.coordinator)
    try pinned.performAndWait { try $0.setQueryGeneration(from: .current) }
    try container.root.performAndWait { context in
      try context.existingObject(Painting.self, with: id).scan = scan(2)
      try context.save()
    }
    #expect(try pinned.scan(of: id) == scan(1))
    #expect(try ContextQueue(parent: pinned).scan(of: id) == scan(1))
    try pinned.performAndWait { try $0.setQueryGeneration(from: nil) }
    #expect(try pinned.scan(of: id) == scan(2))
  }

  @Test func `of a child comes back when the child rolls back`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      painting.scan = scan(2)
      return painting.objectID
    }
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      let painting = try context.existingObject(Painting.self, with: id)
      #expect(painting.scan == scan(2))
      painting.scan = scan(3)
      #expect(painting.scan == scan(3))
      context.rollback()
      let found = try context.scan(of: id)
      #expect(found == scan(2))
    }
    try container.root.performAndWait { $0.rollback() }
    #expect(try worker.scan(of: id) == scan(1))
  }

  @Test func `is a rule's by its length alone`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let painting = context.painting("a")
      painting.thumbnail = scan(1, 1_001)
      let failures = try context.validationFailures()
      #expect(failures.map(\.property) == ["thumbnail"])
      #expect(failures.map(\.rule) == [.attribute(.length(min: 0, max: 1_000))])
      #expect(failures.map(\.value) == [.int(1_001)])
      painting.thumbnail = scan(1, 1_000)
      try context.save()
    }
  }

  @Test func `can be asked for in a predicate whether there is one, and for nothing else`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.painting("with", scan: scan(1))
      try context.save()
      context.painting("unsaved", scan: scan(2))
      context.painting("without")
    }
    func titles(_ request: FetchRequest<Painting>) throws -> [String] {
      try container.root.performAndWait { context in
        try context.fetch(request.sorted(by: \.title)).map(\.title)
      }
    }
    func formatted(_ format: String) throws -> [String] {
      try titles(FetchRequest<Painting>(try FetchPredicate(format: format)))
    }
    #expect(try titles(Painting.where { $0.scan == nil }) == ["without"])
    #expect(try titles(Painting.where { $0.scan != nil }) == ["unsaved", "with"])
    #expect(try formatted("scan == nil") == ["without"])
    #expect(try formatted("nil != scan AND title BEGINSWITH 'w'") == ["with"])
    #expect(try formatted("thumbnail != nil").count == 3, "one that is not optional has always one")
    #expect(try titles(FetchRequest(#Predicate<Painting> { $0.scan == nil })) == ["without"])
    let refused = QueryError.externalProperty(entity: "Painting", property: "scan")
    let one = scan(1)
    #expect(throws: refused) { try titles(FetchRequest(#Predicate<Painting> { $0.scan == one })) }
    #expect(throws: refused) { try titles(Painting.where { $0.scan == one }) }
    #expect(throws: refused) { try titles(Painting.where { $0.scan != one }) }
    #expect(throws: refused) { try formatted("scan < nil") }
    #expect(throws: refused) { try formatted("scan == thumbnail") }
    #expect(throws: refused) { try formatted("scan IN {nil}") }
    #expect(throws: refused) { try formatted("nil IN {scan}") }
  }

  @Test func `is among the changed values where it was set, and read for the former ones`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      #expect(painting.changedValues()["scan"] == .data(scan(1)))
      #expect(painting.committedValues(forKeys: ["scan"]) == ["scan": .null])
      try context.save()
      painting.scan = scan(2)
      #expect(painting.changedValues() == ["scan": .data(scan(2))])
      #expect(painting.committedValues(forKeys: ["scan"]) == ["scan": .data(scan(1))])
      #expect(painting.committedValues()["scan"] == nil, "not unless it is named")
      #expect(painting.changedValuesForCurrentTurn() == ["scan": .data(scan(1))])
      context.processPendingChanges()
      painting.scan = nil
      #expect(painting.changedValues() == ["scan": .null])
      #expect(painting.changedValuesForCurrentTurn() == ["scan": .data(scan(2))])
      #expect(painting.committedValues(forKeys: ["scan"]) == ["scan": .data(scan(1))])
    }
  }

  @Test func `that an awake method sets is seen here and never saved`() throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let id = try container.root.performAndWait { context in
      let etching = Etching(context: context)
      try context.save()
      return etching.objectID
    }
    let audit = try ExternalAudit(directory)
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let etching = try context.existingObject(Etching.self, with: id)
      #expect(etching.plate == Data("blank".utf8))
      #expect(!context.hasChanges)
      etching.title = "a"
      #expect(etching.plate == Data("blank".utf8))
      try context.save()
      #expect(etching.plate == Data("blank".utf8))
      let count = try audit.count()
      #expect(count == 0)
      etching.plate = scan(1)
      try context.save()
      #expect(etching.plate == scan(1))
    }
    #expect(try audit.count() == 1)
    #expect(try audit.problems() == [])
  }

  @Test func `is named by messages and notifies its observers when it changes`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.tracksObservation = true
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      func isTold(_ work: () throws -> Void) rethrows -> Bool {
        let isTold = Occurrence()
        withObservationTracking {
          _ = painting.scan
        } onChange: {
          isTold.note()
        }
        try work()
        return isTold.isNoted
      }
      #expect(!isTold { painting.scan = scan(1) })
      #expect(isTold { painting.scan = scan(2) })
      #expect(!isTold { painting.scan = scan(2) })
      #expect(!isTold { painting.title = "b" })
      let log = MessageLog(context.layer)
      context.processPendingChanges()
      let changed = try #require(log.messages.last).objects
      #expect(changed.changedProperties(of: painting.objectID) == ["scan", "title"])
      #expect(isTold { context.rollback() })
      #expect(painting.scan == scan(1))
    }
  }

  @Test func `does not stay in memory once it is saved`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let freed = Occurrence()
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 10_000, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 10_000)
      let painting = context.painting("a")
      painting.scan = Data(
        bytesNoCopy: bytes, count: 10_000,
        deallocator: .custom { pointer, _ in
          pointer.deallocate()
          freed.note()
        })
      #expect(!freed.isNoted)
      try context.save()
      #expect(freed.isNoted, "though the object is held")
      #expect(painting.scan == Data(repeating: 7, count: 10_000))
    }
  }

  @Test func `is found and set by an upsert`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      for number in 1...2 {
        _ = try context.upsert(Painting.self, matching: \.code, equals: "A") { painting in
          painting.scan = scan(UInt8(number))
        }
        try context.save()
      }
      let found = try context.fetch(Painting.all).map(\.scan)
      #expect(found == [scan(2)])
    }
  }
}

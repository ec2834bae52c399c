// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A painting "a" with scan 1, whose title the root has set to "ours" and which another root has
/// changed since.
private struct Overhung {
  let directory: TemporaryDirectory
  let container: PersistentContainer
  let id: ObjectID

  /// - Parameters:
  ///   - ours: the root's other changes.
  ///   - theirs: the other root's changes, which it saves; nil for deleting the painting.
  init(
    ours: @escaping @Sendable (Painting) -> Void = { _ in },
    theirs: (@Sendable (Painting) -> Void)?
  ) throws {
    directory = try TemporaryDirectory()
    container = try republic(in: directory)
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      painting.title = "ours"
      ours(painting)
      return painting.objectID
    }
    self.id = id
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let painting = try context.existingObject(Painting.self, with: id)
      if let theirs { theirs(painting) } else { context.delete(painting) }
      try context.save()
    }
  }

  func save(_ policy: MergePolicy) throws {
    try container.root.performAndWait { context in
      context.mergePolicy = policy
      try context.save()
    }
  }

  /// The stored and the root's state: title and scan.
  func expect(_ title: String, _ expected: Data?, _ comment: Comment? = nil) throws {
    let id = id
    for queue in [ContextQueue(parent: container.coordinator), container.root] {
      let (foundTitle, found) = try queue.performAndWait { context in
        let painting = try context.existingObject(Painting.self, with: id)
        let values = (painting.title, painting.scan)
        try context.throwWhatWasDeferred()
        return values
      }
      #expect(foundTitle == title, comment)
      #expect(found == expected, comment)
    }
    #expect(try ExternalAudit(directory).problems() == [], comment)
  }
}

@Suite struct `An external attribute in conflict` {
  @Test func `fails like any other`() throws {
    let scene = try Overhung(theirs: { $0.scan = scan(2) })
    do {
      try scene.save(.error)
      Issue.record("the save went through")
    } catch StoreError.conflicts(let conflicts) {
      let conflict = try #require(conflicts.first)
      #expect(conflict.ourChanges == ["title"])
      #expect(conflict.theirChanges == ["scan"])
      #expect(conflict.ourValues?["title"] == .string("ours"))
      #expect(conflict.ourValues?.keys.contains("scan") == false)
      #expect(conflict.theirValues?.keys.contains("scan") == false)
    }
  }

  @Test(arguments: [
    MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite,
  ])
  func `is theirs where only they have set it`(policy: MergePolicy) throws {
    let scene = try Overhung(theirs: { $0.scan = scan(2) })
    try scene.save(policy)
    // The bytes that ours goes back to are gone, also for `.overwrite`.
    try scene.expect("ours", scan(2))
  }

  @Test func `is ours or theirs where both have set it`() throws {
    let outcomes: [(MergePolicy, String, UInt8)] = [
      (.mergeByPropertyStoreTrump, "ours", 2), (.mergeByPropertyObjectTrump, "ours", 3),
      (.overwrite, "ours", 3), (.rollback, "a", 2),
    ]
    for (policy, title, seed) in outcomes {
      let scene = try Overhung(ours: { $0.scan = scan(3) }, theirs: { $0.scan = scan(2) })
      try scene.save(policy)
      try scene.expect(title, scan(seed), "\(policy)")
    }
  }

  @Test func `is ours again, although it was set to its former value`() throws {
    let scene = try Overhung(
      ours: {
        $0.scan = scan(3)
        $0.scan = scan(1)
        $0.thumbnail = Data([1])
      }, theirs: { $0.scan = scan(2) })
    try scene.save(.mergeByPropertyObjectTrump)
    try scene.expect("ours", scan(1))
  }

  @Test func `is nil where one has cleared it`() throws {
    let ours = try Overhung(ours: { $0.scan = nil }, theirs: { $0.scan = scan(2) })
    try ours.save(.overwrite)
    try ours.expect("ours", nil)
    let theirs = try Overhung(theirs: { $0.scan = nil })
    try theirs.save(.overwrite)
    try theirs.expect("ours", nil)
  }

  @Test func `comes back with an object that they deleted only if it was set here`() throws {
    let lost = try Overhung(theirs: nil)
    try lost.save(.overwrite)
    try lost.expect("ours", nil, "its bytes went with the object")
    let kept = try Overhung(ours: { $0.scan = scan(3) }, theirs: nil)
    try kept.save(.overwrite)
    try kept.expect("ours", scan(3))
  }

  @Test func `is removed with an object that we delete, whatever they set`() throws {
    let scene = try Overhung(theirs: { $0.scan = scan(2) })
    let id = scene.id
    try scene.container.root.performAndWait { context in
      context.delete(try context.existingObject(Painting.self, with: id))
    }
    try scene.save(.overwrite)
    let audit = try ExternalAudit(scene.directory)
    #expect(try audit.count() == 0)
  }

  @Test func `is the decision of a custom policy`() throws {
    let decided = try Overhung(ours: { $0.scan = scan(3) }, theirs: { $0.scan = scan(2) })
    try decided.save(
      .custom("joined") { conflict in
        guard case .data(let ours)? = conflict.ourValues?["scan"],
          conflict.theirChanges == ["scan"]
        else { return .fail }
        return .values(["scan": .data(ours + [1])])
      })
    try decided.expect("ours", scan(3) + [1])

    let cleared = try Overhung(theirs: { $0.scan = scan(2) })
    try cleared.save(.custom("none") { _ in .values(["scan": .null], others: .rollback) })
    try cleared.expect("a", nil)

    let theirs = try Overhung(ours: { $0.scan = scan(3) }, theirs: { $0.scan = scan(2) })
    try theirs.save(
      .custom("theirs") { conflict in
        .values(
          ["title": conflict.ourValues?["title"] ?? .null], others: .mergeByPropertyStoreTrump)
      })
    try theirs.expect("ours", scan(2))

    // The value that they replaced, which the store no longer has.
    let former = try Overhung(theirs: { $0.scan = scan(2) })
    let first = MergePolicy.custom("first") { _ in
      .values(["scan": .data(scan(1))], others: .overwrite)
    }
    try former.save(first)
    try former.expect("ours", scan(1))
    let brought = try Overhung(theirs: nil)
    try brought.save(first)
    try brought.expect("ours", scan(1))

    let unchanged = try Overhung(theirs: { $0.scan = scan(2) })
    try unchanged.save(.custom("ours") { _ in .takeOurs })
    try unchanged.expect("ours", scan(2))
  }

  @Test func `of an object that gives way goes to the survivor`() throws {
    let outcomes: [(MergePolicy, UInt8, UInt8)] = [
      (.mergeByPropertyStoreTrump, 1, 4), (.mergeByPropertyObjectTrump, 2, 4), (.overwrite, 2, 4),
    ]
    for (policy, seed, plan) in outcomes {
      let directory = try TemporaryDirectory()
      let container = try republic(in: directory)
      let id = try container.root.performAndWait { context in
        let fresco = Fresco(context: context)
        fresco.code = "A"
        fresco.scan = scan(1)
        fresco.plan = scan(plan)
        try context.save()
        return fresco.objectID
      }
      try ContextQueue(parent: container.coordinator).performAndWait { context in
        // Of another entity of the hierarchy, without a plan.
        let painting = context.painting("b", scan: scan(2))
        painting.code = "A"
        context.mergePolicy = policy
        try context.save()
      }
      try container.root.performAndWait { context in
        context.refreshAllObjects()
        let all = try context.fetch(Painting.all)
        #expect(all.map(\.objectID) == [id], "\(policy)")
        #expect(all.map(\.scan) == [scan(seed)], "\(policy)")
        #expect((all.first as? Fresco)?.plan == scan(plan), "\(policy)")
        #expect((all.first as? Fresco)?.frame == Data("oak".utf8), "\(policy)")
      }
      let audit = try ExternalAudit(directory)
      #expect(try audit.problems() == [], "\(policy)")
      #expect(try audit.count() == 3, "\(policy)")
    }
  }

  @Test func `is merged into pending changes`() throws {
    let scene = try Overhung(theirs: { $0.scan = scan(2) })
    let id = scene.id
    try scene.container.root.performAndWait { context in
      let painting = try context.existingObject(Painting.self, with: id)
      context.refresh(painting, mergeChanges: true)
      #expect(painting.scan == scan(2))
      #expect(painting.title == "ours")
      #expect(painting.changedValues() == ["title": .string("ours")])
      try context.save()
    }
    try scene.expect("ours", scan(2))
  }

  @Test func `of a child that read a value its parent has rolled back is the store's`() throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      painting.scan = scan(2)
      return painting.objectID
    }
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      try context.existingObject(Painting.self, with: id).title = "child's"
    }
    try container.root.performAndWait { $0.rollback() }
    try worker.performAndWait { try $0.save() }
    try container.root.performAndWait { context in
      let before = try context.scan(of: id)
      #expect(before == scan(1))
      try context.save()
      let after = try context.scan(of: id)
      #expect(after == scan(1))
    }
    #expect(try ExternalAudit(directory).problems() == [])
  }
}

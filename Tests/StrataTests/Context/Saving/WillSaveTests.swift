// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import Synchronization
import Testing

@Suite struct `The hooks of a save` {
  @Test func `come in order: willSave, its notification, didSave, its notification`() async throws {
    try await withDiary { diary, container in
      let layer = container.root.layer
      let names = Mutex<[String]>([])
      let observers = [
        ("will", ManagedObjectContext.willSaveNotification),
        ("did", ManagedObjectContext.didSaveNotification),
      ].map { label, name in
        NotificationCenter.default.addObserver(forName: name, object: layer, queue: nil) { _ in
          let noted = diary.take()
          names.withLock { $0 += noted + [label] }
        }
      }
      defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
      try await container.root.perform { context in
        context.note("A")
        _ = diary.take()
        try context.save()
      }
      #expect(names.withLock { $0 } == ["willSave A", "will", "didSave A", "did"])
    }
  }

  @Test func `are called for inserted, changed and deleted objects and for no others`()
    async throws
  {
    try await withDiary { diary, container in
      try await container.root.perform { context in
        let (changed, deleted) = (context.note("changed"), context.note("deleted"))
        context.note("untouched")
        try context.save()
        changed.revision = 1
        context.delete(deleted)
        context.note("new")
        context.delete(context.note("never saved"))
        _ = diary.take()
        try context.save()
        let expected = [
          "willSave changed", "willSave of deleted deleted", "willSave new", "didSave changed",
          "didSave of deleted deleted", "didSave new",
        ]
        let noted = diary.take().filter { $0.contains("Save") }
        #expect(noted == expected)
      }
    }
  }

  @Test func `reach the objects that a child has pushed, wherever they are`() async throws {
    try await withDiary { diary, container in
      try await container.newBackgroundContext().perform { context in
        context.note("A")
        try context.save()
      }
      _ = diary.take()
      try await container.root.save()
      let noted = diary.take()
      #expect(noted.contains("willSave A") && noted.contains("didSave A"))
    }
  }

  @Test func `let willSave change values, which are saved, and call it again for them`()
    async throws
  {
    try await withDiary { diary, container in
      diary.on("willSave") { note in
        if note.revision < 3 { note.revision += 1 }
      }
      try await container.root.perform { context in
        context.note("A")
        _ = diary.take()
        try context.save()
        #expect(diary.take().filter { $0 == "willSave A" }.count == 4)
        #expect(!context.hasChanges)
      }
      let reader = ContextQueue(parent: container.coordinator)
      let revision = try await reader.perform { try $0.fetch(Note.all).first?.revision }
      #expect(revision == 3)
    }
  }

  @Test func `save insertions and deletions of willSave`() async throws {
    try await withDiary { diary, container in
      diary.on("willSave") { note in
        guard note.text == "A", let context = note.managedObjectContext else { return }
        guard (try? context.count(Note.where { $0.text == "log" })) == 0 else { return }
        context.note("log")
        for old in (try? context.fetch(Note.where { $0.text == "old" })) ?? [] {
          context.delete(old)
        }
      }
      try await container.root.perform { context in
        context.note("old")
        try context.save()
        context.note("A")
        _ = diary.take()
        try context.save()
        let noted = diary.take().filter { $0.hasPrefix("willSave") }
        #expect(Set(noted) == ["willSave A", "willSave log", "willSave of deleted old"])
        let texts = try context.fetch(Note.all.sorted(by: \.text)).map(\.text)
        #expect(texts == ["A", "log"])
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `call willSave again for changes of an observer of the notification`() async throws {
    try await withDiary { diary, container in
      let root = container.root
      let observer = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.willSaveNotification, object: root.layer, queue: nil
      ) { _ in
        try? root.performAndWait { context in
          for note in try context.fetch(Note.where { $0.text == "A" }) { note.text = "B" }
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try await root.perform { context in
        context.note("A")
        _ = diary.take()
        try context.save()
      }
      let noted = diary.take().filter { $0.contains("Save") }
      #expect(noted == ["willSave A", "willSave B", "didSave B"])
    }
  }

  @Test func `stop a willSave that never comes to rest, naming its objects`() async throws {
    try await withDiary { diary, container in
      diary.on("willSave") { if $0.text == "restless" { $0.revision += 1 } }
      try await container.root.perform { context in
        let restless = context.note("restless")
        context.note("calm")
        #expect(throws: ContextError.endlessWillSave([restless.objectID])) { try context.save() }
        #expect(restless.isInserted && restless.revision > 0)
        diary.on("willSave", nil)
        try context.save()
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `let each willSave insert another object, in a long chain`() async throws {
    try await withDiary { diary, container in
      diary.on("willSave") { note in
        guard let number = Int(note.text), number < 150, note.revision == 0 else { return }
        note.revision = 1
        note.managedObjectContext?.note("\(number + 1)")
      }
      try await container.root.perform { context in
        context.note("0")
        try context.save()
        #expect(try context.count(Note.all) == 151)
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `stop a chain of insertions that never ends`() async throws {
    try await withDiary { diary, container in
      diary.on("willSave") { note in
        guard note.revision == 0 else { return }
        note.revision = 1
        note.managedObjectContext?.note("another")
      }
      try await container.root.perform { context in
        context.note("first")
        do {
          try context.save()
          Issue.record("the save came to an end")
        } catch ContextError.endlessWillSave(let restless) {
          #expect(!restless.isEmpty)
        }
        diary.on("willSave", nil)
        try context.save()
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `leave changes of willSave unsaved when the save fails`() async throws {
    try await withDiary { diary, container in
      let id = try await container.root.perform { context in
        let note = context.note("A")
        try context.save()
        return note.objectID
      }
      let other = ContextQueue(parent: container.coordinator)
      try await other.perform { try $0.existingObject(Note.self, with: id).text = "other" }
      try await container.root.perform { context in
        try context.existingObject(Note.self, with: id).text = "B"
        try context.save()
      }
      diary.on("willSave") { if $0.revision == 0 { $0.revision = 5 } }
      _ = diary.take()
      try await other.perform { context in
        let note = try context.existingObject(Note.self, with: id)
        #expect { try context.save() } throws: { $0.isConflict }
        #expect(note.revision == 5 && note.text == "other")
        #expect(note.changedValues() == ["text": .string("other"), "revision": .int(5)])
        #expect(!diary.take().contains { $0.hasPrefix("didSave") })
      }
    }
  }

  @Test func `refuse a save in willSave and let one in didSave through`() async throws {
    try await withDiary { diary, container in
      let errors = Mutex<[ContextError?]>([])
      diary.on("willSave") { note in
        do { try note.managedObjectContext?.save() } catch {
          errors.withLock { $0.append(error as? ContextError) }
        }
      }
      diary.on("didSave") { note in
        guard note.revision == 0 else { return }
        note.revision = 1
        try? note.managedObjectContext?.save()
      }
      try await container.root.perform { context in
        let note = context.note("A")
        try context.save()
        #expect(note.revision == 1)
        #expect(!context.hasChanges)
      }
      #expect(errors.withLock { $0 } == [.recursiveSave, .recursiveSave])
    }
  }

  @Test(arguments: ["didSave", "the notification"])
  func `stop saves that never end, each in didSave of the one before`(_ caller: String) async throws
  {
    try await withDiary { diary, container in
      let errors = Mutex<[ContextError?]>([])
      let saveAgain: @Sendable (ManagedObjectContext) -> Void = { context in
        do {
          try context.fetch(Note.all).first?.revision += 1
          try context.save()
        } catch {
          errors.withLock { $0.append(error as? ContextError) }
        }
      }
      let root = container.root
      var observer: (any NSObjectProtocol)?
      if caller == "didSave" {
        diary.on("didSave") { if let context = $0.managedObjectContext { saveAgain(context) } }
      } else {
        observer = NotificationCenter.default.addObserver(
          forName: ManagedObjectContext.didSaveNotification, object: root.layer, queue: nil
        ) { _ in try? root.performAndWait { saveAgain($0) } }
      }
      try await root.perform { context in
        let note = context.note("A")
        try context.save()
        #expect(note.revision == 100)
        #expect(note.isUpdated)
      }
      diary.on("didSave", nil)
      if let observer { NotificationCenter.default.removeObserver(observer) }
      #expect(errors.withLock { $0 } == [.endlessDidSave])
      // The depth is that of saves within each other, not the number of saves.
      try await root.perform { context in
        for revision in 0..<150 {
          try context.fetch(Note.all).first?.revision = revision
          try context.save()
        }
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `leave changes of didSave unsaved`() async throws {
    try await withDiary { diary, container in
      diary.on("didSave") { $0.revision = 1 }
      try await container.root.perform { context in
        let note = context.note("A")
        try context.save()
        #expect(note.isUpdated && context.hasChanges)
        #expect(note.changedValues() == ["revision": .int(1)])
      }
    }
  }

  @Test func `are called in a save that gives up the queue`() async throws {
    try await withDiary { diary, container in
      try await container.root.perform { _ = $0.note("A") }
      _ = diary.take()
      try await container.root.save()
      #expect(diary.take().filter { $0.contains("Save") } == ["willSave A", "didSave A"])
    }
  }

  @Test func `make no instance of entities without them`() async throws {
    let counter = InstanceCount()
    try await withDiary { _, container in
      try await container.newBackgroundContext().perform { context in
        for index in 0..<100 { Folder(context: context).name = "\(index)" }
        try context.save()
      }
      try await Folder.$instanceCount.withValue(counter) { try await container.root.save() }
      #expect(counter.value == 0)
      let reader = ContextQueue(parent: container.coordinator)
      #expect(try await reader.perform { try $0.count(Folder.all) } == 100)
    }
  }
}

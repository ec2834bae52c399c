// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `Awaking from an insertion` {
  @Test func `happens once in a lifetime, where the object is inserted`() async throws {
    try await withDiary { diary, container in
      diary.on("awakeFromInsert") { $0.revision = 7 }
      let worker = container.newBackgroundContext()
      let id = try await worker.perform { context in
        let note = context.note("A")
        try context.save()
        return note.objectID
      }
      #expect(diary.take().filter { $0.hasPrefix("awakeFromInsert") } == ["awakeFromInsert "])
      try await container.root.perform { context in
        let revision = try context.existingObject(Note.self, with: id).revision
        #expect(revision == 7)
        try context.save()
        context.reset()
        _ = try context.existingObject(Note.self, with: id).text
      }
      #expect(!diary.take().contains { $0.hasPrefix("awakeFromInsert") })
    }
  }

  @Test func `does not happen again when the insertion is undone and redone`() async throws {
    try await withDiary { diary, container in
      diary.on("awakeFromInsert") { $0.revision = 7 }
      let context = undoableContext(container)
      let note = context.turn { context.note("A") }
      try #require(diary.take().contains("awakeFromInsert "))
      context.undo()
      context.redo()
      #expect(note.revision == 7 && note.isInserted)
      #expect(!diary.take().contains { $0.hasPrefix("awakeFromInsert") })
    }
  }
}

@Suite struct `Awaking from a fetch` {
  private func savedNote(_ container: PersistentContainer) async throws -> ObjectID {
    try await container.root.perform { context in
      let note = context.note("A")
      try context.save()
      return note.objectID
    }
  }

  @Test func `sets nothing that a save could write, whatever is asked or undone`() async throws {
    try await withDiary { diary, container in
      let id = try await savedNote(container)
      diary.on("awakeFromFetch") { $0.revision = 7 }
      let context = undoableContext(container)
      let note = try context.existingObject(Note.self, with: id)
      #expect(note.revision == 7)
      try context.detectConflicts(for: note)
      try context.save()
      context.turn { note.text = "B" }
      try context.save()
      context.turn { context.undo() }
      try context.save()
      try context.detectConflicts(for: note)
      context.turn { note.text = "C" }
      try context.save()
      diary.on("awakeFromFetch", nil)
      try await ContextQueue(parent: container.coordinator).perform { context in
        let stored = try context.existingObject(Note.self, with: id)
        #expect(stored.text == "C")
        #expect(stored.revision == 0)
      }
    }
  }

  @Test func `happens when a fault fires and when a fetch finds the object, each time once`()
    async throws
  {
    try await withDiary { diary, container in
      let id = try await savedNote(container)
      _ = diary.take()
      try await container.newBackgroundContext().perform { context in
        let note = try context.object(Note.self, with: id)
        #expect(diary.take() == [])
        _ = note.text
        _ = note.revision
        #expect(diary.take() == ["awakeFromFetch A"])
        _ = try context.fetch(Note.all)
        #expect(diary.take() == [])
      }
      try await container.newBackgroundContext().perform { context in
        _ = try context.fetch(Note.all)
        _ = try context.existingObject(Note.self, with: id)
        #expect(diary.take() == ["awakeFromFetch A"])
      }
    }
  }

  @Test func `may set values without a change`() async throws {
    try await withDiary { diary, container in
      let id = try await savedNote(container)
      diary.on("awakeFromFetch") { note in
        note.summary = "about \(note.text)"
        note.revision = 99
      }
      try await container.newBackgroundContext().perform { context in
        let note = try context.existingObject(Note.self, with: id)
        #expect(note.summary == "about A")
        #expect(note.revision == 99)
        #expect(!note.hasChanges && !context.hasChanges)
        #expect(note.changedValues().isEmpty)
        try context.save()
      }
    }
  }

  @Test func `leaves its values out of later saves`() async throws {
    try await withDiary { diary, container in
      let id = try await savedNote(container)
      diary.on("awakeFromFetch") { $0.revision = 99 }
      try await container.newBackgroundContext().perform { context in
        let note = try context.existingObject(Note.self, with: id)
        note.text = "B"
        _ = try context.fetch(Note.where { $0.text == "B" })
        note.text = "C"
        #expect(note.changedValues() == ["text": .string("C")])
        try context.save()
        #expect(note.revision == 99)
        note.text = "D"
        try context.save()
      }
      try await container.root.save()
      diary.on("awakeFromFetch", nil)
      let reader = ContextQueue(parent: container.coordinator)
      try await reader.perform { context in
        let note = try context.existingObject(Note.self, with: id)
        #expect(note.text == "D")
        #expect(note.revision == 0)
      }
    }
  }

  @Test func `keeps its value when a child's save changes another property`() async throws {
    try await withDiary { diary, container in
      let id = try await savedNote(container)
      try await container.root.perform { $0.reset() }
      diary.on("awakeFromFetch") { $0.summary = "derived" }
      try await container.root.perform { context in
        let note = try context.existingObject(Note.self, with: id)
        let child = ManagedObjectContext(parent: context)
        try child.existingObject(Note.self, with: id).text = "B"
        try child.save()
        #expect(note.text == "B")
        #expect(note.summary == "derived")
      }
    }
  }

  @Test func `mixes no old values into an object that is merged at the same time`() async throws {
    try await withDiary { diary, container in
      let id = try await savedNote(container)
      let other = ContextQueue(parent: container.coordinator)
      diary.on("awakeFromFetch") { note in
        guard let context = note.managedObjectContext else { return }
        diary.on("awakeFromFetch", nil)
        note.summary = "set"
        try? other.performAndWait { context in
          let note = try context.existingObject(Note.self, with: id)
          note.text = "B"
          note.revision = 9
          try context.save()
        }
        let changed = try? ChangedObjects(updated: [id])
        if let changed { try? context.mergeChanges(fromRemoteContextSave: changed) }
      }
      let context = ManagedObjectContext(parent: container.coordinator)
      let note = try context.existingObject(Note.self, with: id)
      #expect(note.summary == "set")
      #expect(note.text == "B" && note.revision == 9)
      note.revision = 10
      try context.save()
      let stored = try ManagedObjectContext(parent: container.coordinator)
        .existingObject(Note.self, with: id)
      #expect(stored.text == "B" && stored.revision == 10)
    }
  }

  @Test func `may itself fetch`() async throws {
    try await withDiary { diary, container in
      try await container.root.perform { context in
        for index in 0..<20 { context.note("\(index)") }
        try context.save()
      }
      diary.on("awakeFromFetch") { note in
        let count = try? note.managedObjectContext?.fetch(Note.all).count
        note.summary = "one of \(count ?? 0)"
      }
      try await container.newBackgroundContext().perform { context in
        let notes = try context.fetch(Note.all)
        #expect(notes.allSatisfy { $0.summary == "one of 20" })
        #expect(!context.hasChanges)
      }
    }
  }
}

@Suite struct `Awaking from a snapshot` {
  @Test func `happens when a rollback takes back a change, with the values as they were`()
    async throws
  {
    try await withDiary { diary, container in
      try await container.root.perform { context in
        let (changed, deleted) = (context.note("A"), context.note("B"))
        context.note("untouched")
        try context.save()
        changed.text = "Z"
        context.delete(deleted)
        context.note("new")
        diary.on("awakeFromSnapshotEvents(\(SnapshotEvents.rollback.rawValue))") {
          $0.summary = "again"
        }
        _ = diary.take()
        context.rollback()
        let woken = diary.take().filter { $0.hasPrefix("awakeFromSnapshotEvents(8)") }
        #expect(
          Set(woken) == ["awakeFromSnapshotEvents(8) A", "awakeFromSnapshotEvents(8) B"])
        #expect(woken.count == 2)
        #expect(changed.summary == "again")
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `happens when a merge policy has decided`() async throws {
    try await withDiary { diary, container in
      let id = try await container.root.perform { context in
        let note = context.note("A")
        try context.save()
        return note.objectID
      }
      let other = ContextQueue(parent: container.coordinator)
      try await other.perform { try $0.existingObject(Note.self, with: id).revision = 1 }
      try await container.root.perform { context in
        try context.existingObject(Note.self, with: id).text = "B"
        try context.save()
      }
      _ = diary.take()
      try await other.perform { context in
        context.mergePolicy = .mergeByPropertyStoreTrump
        try context.save()
        let note = try context.existingObject(Note.self, with: id)
        #expect(note.text == "B" && note.revision == 1)
        #expect(diary.take().contains("awakeFromSnapshotEvents(32) B"))
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `Turning into a fault` {
  private func saveNotes(_ count: Int, _ container: PersistentContainer) async throws {
    try await container.root.perform { context in
      for index in 0..<count { context.note("\(index)") }
      try context.save()
      context.reset()
    }
  }

  @Test func `is notified by the cache's sweep, before and after, within the budget`() async throws
  {
    try await withDiary { diary, container in
      try await saveNotes(3_000, container)
      _ = diary.take()
      try await container.newBackgroundContext().perform { context in
        context.cacheByteBudget = 50_000
        for id in try context.fetchIDs(Note.all) {
          _ = try context.existingObject(Note.self, with: id).revision
        }
        for _ in 0..<100 { context.processPendingChanges() }
        let noted = diary.take()
        let before = noted.filter { $0.hasPrefix("willTurnIntoFault") }
        #expect(before.count == Set(before).count && before.count > 2_000)
        #expect(noted.filter { $0 == "didTurnIntoFault" }.count == before.count)
        #expect(context.registeredObjects.isEmpty)
      }
    }
  }

  @Test func `does not happen to an object that its hook changes`() async throws {
    try await withDiary { diary, container in
      try await saveNotes(50, container)
      _ = diary.take()
      diary.on("willTurnIntoFault") { $0.revision = 1 }
      try await container.newBackgroundContext().perform { context in
        context.cacheByteBudget = 0
        for id in try context.fetchIDs(Note.all) {
          _ = try context.existingObject(Note.self, with: id).revision
        }
        for _ in 0..<100 { context.processPendingChanges() }
        let faulted = diary.take().contains("didTurnIntoFault")
        #expect(!faulted)
        #expect(context.updatedObjects.count == 50)
        #expect(context.updatedObjects.allSatisfy { ($0 as? Note)?.revision == 1 })
      }
    }
  }

  @Test func `is notified by a reset, while the objects still have their values`() async throws {
    try await withDiary { diary, container in
      try await saveNotes(2, container)
      try await container.newBackgroundContext().perform { context in
        let notes = try context.fetch(Note.all)
        _ = diary.take()
        context.reset()
        #expect(
          Set(diary.take()) == ["willTurnIntoFault 0", "willTurnIntoFault 1", "didTurnIntoFault"])
        #expect(notes.allSatisfy { $0.managedObjectContext == nil })
      }
    }
  }

  @Test func `is notified after a deletion was saved, and after didSave`() async throws {
    try await withDiary { diary, container in
      for makeContext in [
        { container.root }, { container.newBackgroundContext() },
      ] {
        try await saveNotes(1, container)
        let queue = makeContext()
        try await queue.perform { context in
          let note = try #require(try context.fetch(Note.all).first)
          context.delete(note)
          _ = diary.take()
          try context.save()
          #expect(
            diary.take() == [
              "willSave of deleted 0", "didSave of deleted 0", "willTurnIntoFault 0",
              "didTurnIntoFault",
            ])
          #expect(note.managedObjectContext == nil)
        }
      }
    }
  }

  @Test func `is notified when a new object is deleted before any save`() async throws {
    try await withDiary { diary, container in
      try await container.root.perform { context in
        let note = context.note("A")
        _ = try context.fetch(Note.all)
        _ = diary.take()
        context.delete(note)
        #expect(
          diary.take() == ["prepareForDeletion A", "willTurnIntoFault A", "didTurnIntoFault"])
        #expect(note.managedObjectContext == nil)
      }
    }
  }

  @Test func `leaves an object that comes back to awake again`() async throws {
    try await withDiary { diary, container in
      try await saveNotes(1, container)
      diary.on("awakeFromFetch") { $0.summary = "derived" }
      try await container.newBackgroundContext().perform { context in
        let note = try #require(try context.fetch(Note.all).first)
        context.registry.turnIntoFault(note)
        #expect(note.isFault)
        #expect(note.summary == "derived")
        #expect(
          diary.take().suffix(4) == [
            "awakeFromFetch 0", "willTurnIntoFault 0", "didTurnIntoFault", "awakeFromFetch 0",
          ])
      }
    }
  }
}

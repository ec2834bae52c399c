// SPDX-License-Identifier: Apache-2.0
import Strata
import Synchronization
import Testing

@Suite struct `Preparing for deletion` {
  @Test func `happens before the object's relationships go, once`() async throws {
    try await withDiary { diary, container in
      let folders = Mutex<[String?]>([])
      diary.on("prepareForDeletion") { note in
        let name = note.folder?.name
        folders.withLock { $0.append(name) }
      }
      try await container.root.perform { context in
        let folder = Folder(context: context)
        folder.name = "F"
        let note = context.note("A", in: folder)
        try context.save()
        _ = diary.take()
        context.delete(note)
        context.delete(note)
        try context.save()
        #expect(diary.take().filter { $0.hasPrefix("prepare") } == ["prepareForDeletion A"])
      }
      #expect(folders.withLock { $0 } == ["F"])
    }
  }

  @Test func `happens to objects that a cascade deletes, linked to its cause`() async throws {
    try await withDiary { diary, container in
      let folders = Mutex<[String?]>([])
      diary.on("prepareForDeletion") { note in
        let name = note.folder?.name
        folders.withLock { $0.append(name) }
      }
      try await container.root.perform { context in
        let folder = Folder(context: context)
        folder.name = "F"
        context.note("A", in: folder)
        context.note("B", in: folder)
        try context.save()
        _ = diary.take()
        context.delete(folder)
        #expect(Set(diary.take()) == ["prepareForDeletion A", "prepareForDeletion B"])
        try context.save()
        #expect(try context.count(Note.all) == 0)
      }
      #expect(folders.withLock { $0 } == ["F", "F"])
    }
  }

  @Test func `may delete others and the object itself`() async throws {
    try await withDiary { diary, container in
      diary.on("prepareForDeletion") { note in
        guard let context = note.managedObjectContext else { return }
        for other in (try? context.fetch(Note.all)) ?? [] { context.delete(other) }
      }
      try await container.root.perform { context in
        let first = context.note("0")
        for index in 1..<5 { context.note("\(index)") }
        try context.save()
        _ = diary.take()
        context.delete(first)
        let prepared = diary.take().filter { $0.hasPrefix("prepare") }
        #expect(prepared.sorted() == (0..<5).map { "prepareForDeletion \($0)" })
        try context.save()
        #expect(try context.count(Note.all) == 0)
      }
    }
  }

  @Test func `happens again for a deletion after a rollback`() async throws {
    try await withDiary { diary, container in
      try await container.root.perform { context in
        let note = context.note("A")
        try context.save()
        _ = diary.take()
        context.delete(note)
        context.rollback()
        context.delete(note)
        #expect(diary.take().filter { $0.hasPrefix("prepare") }.count == 2)
      }
    }
  }

  @Test func `does not happen where a save takes the deletion`() async throws {
    try await withDiary { diary, container in
      let id = try await container.root.perform { context in
        let note = context.note("A")
        try context.save()
        return note.objectID
      }
      try await container.newBackgroundContext().perform { context in
        context.delete(try context.existingObject(Note.self, with: id))
        try context.save()
      }
      _ = diary.take()
      try await container.root.save()
      let noted = diary.take()
      #expect(!noted.contains { $0.hasPrefix("prepare") })
      #expect(noted.contains("willSave of deleted A"))
    }
  }
}

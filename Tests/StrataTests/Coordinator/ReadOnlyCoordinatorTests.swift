// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private typealias Coordinator = PersistentStoreCoordinator

/// Makes a store with a city and a history, and closes it.
private func makeStore(at url: URL) async throws {
  let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
  try await container.coordinator.keepHistory()
  try await container.coordinator.setMetadata("v", forKey: "k")
  try await container.root.perform { context in
    context.city("saved")
    try context.save()
  }
  container.coordinator.store.close()
}

private func openReadOnly(_ url: URL) throws -> PersistentContainer {
  try PersistentContainer(at: url, model: geographyModel(), isReadOnly: true)
}

private func isReadOnly(_ error: any Error) -> Bool {
  if case StoreError.readOnly = error { true } else { false }
}

@Suite struct `A coordinator that only reads` {
  private let folder: TemporaryDirectory
  private var url: URL { folder.file("store") }

  init() async throws {
    folder = try TemporaryDirectory()
    try await makeStore(at: folder.file("store"))
  }

  @Test func `fetches, and keeps edits in memory`() async throws {
    let container = try openReadOnly(url)
    #expect(container.coordinator.isReadOnly)
    let worker = container.newBackgroundContext()
    let id = try await worker.perform { context in
      let saved = try #require(try context.fetch(City.all).first)
      #expect(saved.name == "saved")
      saved.name = "edited"
      let new = context.city("new")
      try context.save()
      return new.objectID
    }
    try await container.root.perform { context in
      #expect(try context.cityNames() == ["edited", "new"])
      for _ in 0..<2 { #expect { try context.save() } throws: { isReadOnly($0) } }
      #expect(context.insertedObjects.map(\.objectID) == [id])
      #expect(context.updatedObjects.count == 1)
      context.rollback()
      #expect(try context.cityNames() == ["saved"])
      // There is nothing to save.
      try context.save()
    }
    await #expect {
      try await worker.perform { context in
        context.city("newer")
        try context.save()
      }
      try await worker.save(to: .store)
    } throws: {
      isReadOnly($0)
    }
  }

  @Test func `reads all that a store knows, and changes none of it`() async throws {
    let container = try openReadOnly(url)
    let coordinator = container.coordinator
    #expect(try coordinator.metadata().value("k", as: String.self) == "v")
    #expect(try coordinator.fetchHistory(HistoryRequest()).count == 1)
    await #expect { try await coordinator.setMetadata("w", forKey: "k") } throws: { isReadOnly($0) }
    await #expect { try await coordinator.keepHistory() } throws: { isReadOnly($0) }
    await #expect { try await coordinator.stopHistory() } throws: { isReadOnly($0) }
    #expect { try coordinator.execute(BatchDeleteRequest(City.all)) } throws: { isReadOnly($0) }
    #expect(try coordinator.metadata().value("k", as: String.self) == "v")
    let copy = folder.file("copy")
    try await coordinator.backUp(to: copy)
    let copied = try PersistentContainer(at: copy, model: geographyModel(), durability: .none)
    try await copied.root.perform { context in
      #expect(try context.cityNames() == ["saved"])
      context.city("in the copy")
      try context.save()
    }
  }

  @Test func `merges the saves of a coordinator that writes`() async throws {
    let reading = try openReadOnly(url)
    let context = reading.root
    let city = try await context.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let city = try #require(try context.fetch(City.all).first)
      context.userInfo["city"] = city
      return city.objectID
    }
    // Its durability is not the readers' affair.
    let writing = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    try await writing.root.perform { context in
      try context.existingObject(City.self, with: city).name = "renamed"
      try context.save()
    }
    try await context.perform { context in
      #expect((context.userInfo["city"] as? City)?.name == "renamed")
    }
  }

  @Test func `notices the saves of another process`() async throws {
    let reading = try openReadOnly(url)
    let changes = reading.coordinator.remoteChanges()
    let count = try await reading.root.perform { try $0.count(City.all) }
    #expect(count == 1)
    await #expect(processExitsWith: .success) { [url = url as URL] in
      let writing = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
      try await writing.root.perform { context in
        context.city("of another process")
        try context.save()
      }
    }
    for await change in changes {
      #expect(change.token == (try reading.coordinator.fetchHistory(HistoryRequest()).last?.token))
      break
    }
    #expect(try await reading.root.perform { try $0.count(City.all) } == 2)
  }

  @Test func `is refused a missing store, with the remedy`() throws {
    #expect {
      _ = try Coordinator(at: folder.file("missing"), model: geographyModel(), isReadOnly: true)
    } throws: {
      guard case StoreError.storeMissing = $0 else { return false }
      return "\($0)".contains("open the store for writing once")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("missing-lock").path))
  }
}

#if os(Linux)
  @Suite(.enabled(if: PrivateMounts.arePossible, "file systems cannot be mounted here"))
  struct `A store on a read-only medium` {
    @Test func `is read in every way, and refused for writing`() async throws {
      let folder = try TemporaryDirectory()
      try await makeStore(at: folder.file("store"))
      await #expect(processExitsWith: .success) { [url = folder.url as URL] in
        let mounts = try PrivateMounts()
        let (medium, target) = (try TemporaryDirectory(), try TemporaryDirectory())
        try mounts.show(url.path, readOnlyAt: medium.url.path)
        let store = medium.file("store")

        let container = try openReadOnly(store)
        try container.root.performAndWait { context in
          context.automaticallyMergesChangesFromParent = true
          #expect(try context.cityNames() == ["saved"])
          context.city("unsaved")
          #expect { try context.save() } throws: { isReadOnly($0) }
          try context.setQueryGeneration(from: .current)
          #expect(try context.cityNames() == ["saved", "unsaved"])
        }
        #expect(try container.coordinator.oldestReader() == nil)
        #expect(try container.coordinator.fetchHistory(HistoryRequest()).count == 1)
        try container.coordinator.backUp(to: target.file("backup"))
        try Coordinator.copyStore(at: store, to: target.file("copy"))
        #expect(try Coordinator.metadata(ofStoreAt: store).keys == ["k"])
        for name in ["backup", "copy"] {
          #expect(try Coordinator.metadata(ofStoreAt: target.file(name)).keys == ["k"])
        }
        for body in [
          { _ = try Coordinator(at: store, model: geographyModel()) },
          { _ = try Coordinator(at: medium.file("new"), model: geographyModel()) },
          { try Coordinator.destroyStore(at: store) },
        ] {
          #expect { try body() } throws: {
            switch $0 {
            case StoreError.permissionDenied, StoreError.storeInUse: true
            default: false
            }
          }
        }
      }
    }

    @Test func `is copied and described without being opened`() async throws {
      let folder = try TemporaryDirectory()
      try await makeStore(at: folder.file("store"))
      await #expect(processExitsWith: .success) { [url = folder.url as URL] in
        let mounts = try PrivateMounts()
        let (medium, target) = (try TemporaryDirectory(), try TemporaryDirectory())
        try mounts.show(url.path, readOnlyAt: medium.url.path)
        try Coordinator.copyStore(at: medium.file("store"), to: target.file("copy"))
        for url in [medium.file("store"), target.file("copy")] {
          #expect(try Coordinator.metadata(ofStoreAt: url).keys == ["k"])
        }
      }
    }
  }

  @Suite struct `A store that may be read and not written` {
    @Test func `is read, and not opened for writing in the same process`() async throws {
      let folder = try TemporaryDirectory()
      let url = folder.file("store")
      try await makeStore(at: url)
      chmod(url.path, 0o444)
      chmod(url.path + "-lock", 0o666)
      await #expect(processExitsWith: .success) { [url = url as URL] in
        try giveUpRootsRights()
        let container = try openReadOnly(url)
        let names = try container.root.performAndWait { try $0.cityNames() }
        #expect(names == ["saved"])
        #expect { _ = try Coordinator(at: url, model: geographyModel()) } throws: {
          if case StoreError.permissionDenied = $0 { true } else { false }
        }
      }
    }

    @Test func `is refused if its lock file may not be written, with the reason`() async throws {
      let folder = try TemporaryDirectory()
      let url = folder.file("store")
      try await makeStore(at: url)
      chmod(url.path + "-lock", 0o444)
      await #expect(processExitsWith: .success) { [url = url as URL] in
        try giveUpRootsRights()
        #expect { _ = try openReadOnly(url) } throws: {
          guard case StoreError.permissionDenied = $0 else { return false }
          return "\($0)".contains("A reader writes to the lock file")
        }
      }
    }
  }
#endif

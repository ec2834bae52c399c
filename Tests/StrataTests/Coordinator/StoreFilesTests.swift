// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private typealias Coordinator = PersistentStoreCoordinator

/// Makes a store with one country, and closes it.
private func makeStore(at url: URL, _ iso: String = "IR") throws {
  let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
  try container.root.performAndWait { context in
    context.country(iso)
    try context.save()
  }
}

private func countries(at url: URL) throws -> [String] {
  let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
  return try container.root.performAndWait { context in
    try context.fetch(Country.all.sorted(by: \.iso)).map(\.iso)
  }
}

private func files(in folder: TemporaryDirectory) throws -> Set<String> {
  Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path))
}

private func error(_ body: () throws -> Void) -> StoreError? {
  #expect(throws: StoreError.self) { try body() }
}

@Suite struct `A store as a file` {
  @Test func `is destroyed with its lock file, unless it is in use`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    guard case .storeInUse? = error({ try Coordinator.destroyStore(at: url) }) else {
      return #expect(Bool(false), "it was in use")
    }
    container.coordinator.store.close()
    withExtendedLifetime(container) {}
  }

  @Test func `is in use as long as its lock file is, though another took its path`() throws {
    let folder = try TemporaryDirectory()
    let (url, other) = (folder.file("store"), folder.file("other"))
    try makeStore(at: other)
    let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    #expect(rename(other.path, url.path) == 0)
    guard case .storeInUse? = error({ try Coordinator.destroyStore(at: url) }) else {
      return #expect(Bool(false), "its lock file was in use")
    }
    #expect(try files(in: folder).isSuperset(of: ["store", "store-lock"]))
    withExtendedLifetime(container) {}
  }

  @Test func `leaves nothing behind when it is destroyed`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeStore(at: url)
    #expect(try files(in: folder) == ["store", "store-lock"])
    try Coordinator.destroyStore(at: url)
    #expect(try files(in: folder) == [])
    // Again, it is no error.
    try Coordinator.destroyStore(at: url)
  }

  @Test func `is not taken for any other file`() throws {
    let folder = try TemporaryDirectory()
    let (url, other) = (folder.file("store"), folder.file("text"))
    try makeStore(at: url)
    try Data("a text, and no store at all".utf8).write(to: other)
    for body in [
      { try Coordinator.destroyStore(at: other) },
      { try Coordinator.copyStore(at: other, to: url) },
      { try Coordinator.moveStore(at: other, to: folder.file("new")) },
      { try Coordinator.replaceStore(at: other, withStoreAt: url) },
      { try Coordinator.replaceStore(at: url, withStoreAt: other) },
    ] {
      guard case .notAStrataStore? = error(body) else {
        return #expect(Bool(false), "the text is no store")
      }
    }
    #expect(try String(contentsOf: other, encoding: .utf8) == "a text, and no store at all")
    #expect(try countries(at: url) == ["IR"])
    #expect(try files(in: folder) == ["store", "store-lock", "text"])
  }

  @Test func `is moved with its objects, and not over another`() throws {
    let folder = try TemporaryDirectory()
    let (url, target) = (folder.file("store"), folder.file("moved"))
    try makeStore(at: url)
    try makeStore(at: target, "FR")
    guard case .fileExists? = error({ try Coordinator.moveStore(at: url, to: target) }) else {
      return #expect(Bool(false), "there is a store")
    }
    try Coordinator.destroyStore(at: target)
    try Coordinator.moveStore(at: url, to: target)
    #expect(try files(in: folder) == ["moved"])
    #expect(try countries(at: target) == ["IR"])
    let nowhere = folder.file("missing").appendingPathComponent("store")
    guard case .folderMissing? = error({ try Coordinator.moveStore(at: target, to: nowhere) })
    else { return #expect(Bool(false), "there is no folder") }
    #expect(try countries(at: target) == ["IR"])
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `stays under its one name if its folder cannot be written to`() throws {
    let folder = try TemporaryDirectory()
    let locked = folder.file("locked")
    let (url, target) = (locked.appendingPathComponent("store"), folder.file("moved"))
    try FileManager.default.createDirectory(at: locked, withIntermediateDirectories: false)
    try makeStore(at: url)
    chmod(locked.path, 0o500)
    defer { chmod(locked.path, 0o700) }
    guard case .permissionDenied? = error({ try Coordinator.moveStore(at: url, to: target) })
    else { return #expect(Bool(false), "its folder cannot be written to") }
    #expect(try files(in: folder) == ["locked"])
    #expect(try countries(at: url) == ["IR"])
  }

  @Test func `is replaced by a copy of one that is in use`() throws {
    let folder = try TemporaryDirectory()
    let (url, source) = (folder.file("store"), folder.file("source"))
    try makeStore(at: url)
    let container = try PersistentContainer(
      at: source, model: geographyModel(), durability: .none)
    try container.root.performAndWait { context in
      context.country("FR")
      try context.save()
    }
    try Coordinator.replaceStore(at: url, withStoreAt: source)
    try container.root.performAndWait { context in
      context.country("DE")
      try context.save()
    }
    #expect(try countries(at: url) == ["FR"])
    try Coordinator.replaceStore(at: folder.file("new"), withStoreAt: source)
    #expect(try countries(at: folder.file("new")) == ["DE", "FR"])
    guard case .storeInUse? = error({ try Coordinator.replaceStore(at: source, withStoreAt: url) })
    else { return #expect(Bool(false), "it was in use") }
    #expect(
      try files(in: folder)
        == ["new", "new-lock", "source", "source-lock", "store", "store-lock"])
  }

  @Test func `is found through a symbolic link`() throws {
    let folder = try TemporaryDirectory()
    let (url, linked) = (folder.file("store"), folder.file("link"))
    try makeStore(at: url)
    try FileManager.default.createSymbolicLink(at: linked, withDestinationURL: url)
    try Coordinator.moveStore(at: linked, to: folder.file("moved"))
    #expect(try countries(at: folder.file("moved")) == ["IR"])
    try FileManager.default.removeItem(at: linked)
    try FileManager.default.createSymbolicLink(
      at: linked, withDestinationURL: folder.file("moved"))
    try Coordinator.destroyStore(at: linked)
    #expect(try files(in: folder) == [])
  }

  @Test func `grows to its limit, and loses nothing there`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let limit = 4 << 20
    let coordinator = try Coordinator(
      at: url, model: geographyModel(), durability: .none, maximumByteCount: limit)
    let context = ManagedObjectContext(parent: coordinator)
    var savedCount = 0
    var full: StoreError?
    for round in 0..<200 where full == nil {
      for number in 0..<100 {
        context.city(String(repeating: "x", count: 500), population: round * 100 + number)
      }
      do {
        try context.save()
        savedCount += 100
      } catch let error as StoreError {
        full = error
      }
    }
    let error = try #require(full)
    guard case .storeFull = error else { throw error }
    #expect(savedCount > 1_000)
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
    #expect(try #require(size) <= limit)
    context.rollback()
    #expect(try context.count(City.all) == savedCount)
    // With space freed, saves succeed again.
    try coordinator.execute(BatchDeleteRequest(City.all))
    context.city("after")
    try context.save()
    #expect(try context.count(City.all) == 1)
  }

  @Test func `has room for at least 1 MiB`() throws {
    let folder = try TemporaryDirectory()
    let coordinator = try Coordinator(
      at: folder.file("store"), model: geographyModel(), durability: .none, maximumByteCount: 1)
    let context = ManagedObjectContext(parent: coordinator)
    for _ in 0..<500 { context.city(String(repeating: "x", count: 1_000)) }
    try context.save()
  }

  @Test func `takes deletions while a snapshot is held, until its room ends`() throws {
    let folder = try TemporaryDirectory()
    let coordinator = try Coordinator(
      at: folder.file("store"), model: geographyModel(), durability: .none,
      maximumByteCount: 1 << 20)
    let context = ManagedObjectContext(parent: coordinator)
    for number in 0..<400 {
      context.city(String(repeating: "x", count: 1_000), population: number)
    }
    try context.save()
    let reader = ManagedObjectContext(parent: coordinator)
    try reader.setQueryGeneration(from: .current)
    _ = try reader.count(City.all)
    // Each commit needs pages, and the snapshot keeps those that the commits free.
    var number = 0
    var full: StoreError?
    while full == nil, number < 400 {
      do {
        try coordinator.execute(BatchDeleteRequest(City.where { $0.population == number }))
        number += 1
      } catch let error as StoreError {
        full = error
      }
    }
    if let full {
      guard case .storeFull = full else { throw full }
    }
    #expect(try reader.count(City.all) == 400)
    try reader.setQueryGeneration(from: nil)
    try coordinator.execute(BatchDeleteRequest(City.all))
    context.reset()
    context.city("after")
    try context.save()
    #expect(try context.count(City.all) == 1)
  }

  @Test func `does not become smaller by deletions, but by compacting`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    try container.root.performAndWait { context in
      for _ in 0..<2_000 { context.city(String(repeating: "secret", count: 100)) }
      try context.save()
    }
    func bytes() throws -> Data { try Data(contentsOf: url) }
    let full = try bytes()
    try container.coordinator.execute(BatchDeleteRequest(City.all))
    #expect(try bytes().count >= full.count)
    // What was deleted stays in unused space.
    #expect(try bytes().range(of: Data("secretsecret".utf8)) != nil)
    try container.root.performAndWait { $0.reset() }
    try container.coordinator.compact()
    #expect(try bytes().count < full.count / 4)
    #expect(try bytes().range(of: Data("secretsecret".utf8)) == nil)
  }

  @Test func `grows to its limit in a container too`() async throws {
    let folder = try TemporaryDirectory()
    let container = try PersistentContainer(
      at: folder.file("store"), model: geographyModel(), durability: .none,
      maximumByteCount: 1 << 20)
    let error = try await #require(throws: StoreError.self) {
      try await container.root.perform { context in
        for _ in 0..<4_000 { context.city(String(repeating: "x", count: 500)) }
        try context.save()
      }
    }
    guard case .storeFull = error else { throw error }
  }

  @Test func `describes itself without its model`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    try await container.root.perform { context in
      for number in 0..<7 { context.city("\(number)", in: nil) }
      try context.save()
    }
    try await container.coordinator.setMetadata(["de", "fr"], forKey: "languages")
    try await container.coordinator.setMetadata(3, forKey: "=")
    try await container.coordinator.setMetadata(4, forKey: "gone")
    try await container.coordinator.setMetadata(Int?.none, forKey: "gone")
    let metadata = try Coordinator.metadata(ofStoreAt: url)
    #expect(metadata.storeID == container.coordinator.store.uuid)
    #expect(metadata.formatVersion == 7 && metadata.modelVersion == 1)
    #expect(metadata.byteCount > 4_096)
    let city = try #require(metadata.entities.first { $0.name == "City" })
    #expect(city.objectCount == 7 && city.superentity == nil)
    #expect(city.attributes == ["name", "note", "population"] && city.relationships == ["country"])
    #expect(metadata.keys == ["=", "languages"])
    #expect(try metadata.value("languages", as: [String].self) == ["de", "fr"])
    #expect(try metadata.value("=", as: Int.self) == 3)
    #expect(try metadata.value("gone", as: Int.self) == nil)
    #expect(throws: DecodingError.self) { try metadata.value("=", as: String.self) }
    for key in ["", String(repeating: "k", count: 256)] {
      await #expect {
        try await container.coordinator.setMetadata(1, forKey: key)
      } throws: { if case StoreError.invalidMetadataKey(key) = $0 { true } else { false } }
    }
    // It is there after the store was opened again, and in a copy.
    let copy = folder.file("copy")
    try Coordinator.copyStore(at: url, to: copy)
    #expect(try Coordinator.metadata(ofStoreAt: copy).keys == ["=", "languages"])
    #expect(try container.coordinator.metadata().keys == ["=", "languages"])
  }

  @Test func `has one value in its metadata for keys that are equal as strings`() async throws {
    let folder = try TemporaryDirectory()
    let coordinator = try geography(in: folder).coordinator
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    try await coordinator.setMetadata(1, forKey: composed)
    try await coordinator.setMetadata(2, forKey: decomposed)
    #expect(try coordinator.metadata().value(composed, as: Int.self) == 2)
    try await coordinator.setMetadata(Int?.none, forKey: decomposed)
    #expect(try coordinator.metadata().keys == [])

    // 255 bytes, of which the decomposed form has more.
    let long = String(repeating: "e\u{301}", count: 127) + "k"
    try await coordinator.setMetadata(5, forKey: long)
    #expect(try coordinator.metadata().value(long, as: Int.self) == 5)
  }

  /// As a former release has written them, which did not normalize keys.
  @Test(arguments: ["another key", "the key", "the key, removed"])
  func `has one value for keys whose bytes are as they came`(_ next: String) async throws {
    let folder = try TemporaryDirectory()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    do {
      let store = try geography(in: folder).coordinator.store
      for (key, value) in [(composed, "[1]"), (decomposed, "[2]"), ("o\u{308}", "[3]")] {
        try await withCheckedThrowingContinuation { continuation in
          store.setValue(Data(value.utf8), forKey: key) { continuation.resume(with: $0) }
        }
      }
    }
    let coordinator = try geography(in: folder).coordinator
    let before = try coordinator.metadata()
    #expect(before.keys.count == 2)
    switch next {
    case "another key": try await coordinator.setMetadata(4, forKey: "other")
    case "the key": try await coordinator.setMetadata(4, forKey: decomposed)
    default: try await coordinator.setMetadata(Int?.none, forKey: decomposed)
    }
    let after = try coordinator.metadata()
    #expect(try after.value("\u{F6}", as: Int.self) == 3)
    let kept = try after.value(composed, as: Int.self)
    switch next {
    case "another key": #expect(try kept == before.value(composed, as: Int.self))
    case "the key": #expect(kept == 4)
    default: #expect(kept == nil)
    }
    try await coordinator.setMetadata(Int?.none, forKey: composed)
    #expect(try coordinator.metadata().keys.filter { $0 == composed } == [])
  }

  @Test func `says how old the oldest state is that is read`() throws {
    let folder = try TemporaryDirectory()
    let container = try geography(in: folder)
    let coordinator = container.coordinator
    #expect(try coordinator.oldestReader() == nil)
    let reader = ManagedObjectContext(parent: coordinator)
    try reader.setQueryGeneration(from: .current)
    _ = try reader.count(City.all)
    for number in 0..<5 {
      try container.root.performAndWait { context in
        context.city("\(number)")
        try context.save()
      }
    }
    let oldest = try #require(try coordinator.oldestReader())
    #expect(oldest.processID == ProcessInfo.processInfo.processIdentifier)
    #expect(oldest.commitLag >= 5)
    try reader.setQueryGeneration(from: nil)
    try reader.performFetchlessTurn()
    #expect(try coordinator.oldestReader().map { $0.commitLag < 5 } ?? true)
  }
}

extension ManagedObjectContext {
  /// Ends the turn, and with it the view of the store.
  fileprivate func performFetchlessTurn() throws {
    processPendingChanges()
    refreshAllObjects()
  }
}

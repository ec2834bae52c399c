// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `A container that saves its root by itself` {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func container(_ autosave: PersistentContainer.Autosave) throws -> PersistentContainer {
    try PersistentContainer(
      at: folder.file("geography.strata"), model: geographyModel(), durability: .none,
      autosave: autosave)
  }

  private let isos = Country.all.sorted(by: \.iso).select(\.iso)

  private func push(_ isos: String..., to container: PersistentContainer) async throws {
    try await container.performBackgroundTask { context in
      for iso in isos { context.country(iso) }
      try context.save()
    }
  }

  @Test func `writes the saves of children to the disk`() async throws {
    let container = try container(.afterEachPush(coalescingFor: .zero))
    var saved = container.coordinator.values(of: isos).makeAsyncIterator()
    #expect(try await saved.next() == [])
    try await push("a", to: container)
    #expect(try await saved.next() == ["a"])
    try await push("b", "c", to: container)
    #expect(try await saved.next() == ["a", "b", "c"])
  }

  @Test func `writes changes that are made in the root itself`() async throws {
    let container = try container(.afterEachPush(coalescingFor: .milliseconds(1)))
    var saved = container.coordinator.values(of: isos).makeAsyncIterator()
    #expect(try await saved.next() == [])
    try await container.root.perform { _ = $0.country("a") }
    #expect(try await saved.next() == ["a"])
  }

  @Test func `collects changes for the time that was asked for, and flush does not wait for it`()
    async throws
  {
    let container = try container(.afterEachPush(coalescingFor: .seconds(86_400)))
    try await push("a", to: container)
    #expect(try await container.coordinator.fetch(isos) == [])
    try await container.flush()
    #expect(try await container.coordinator.fetch(isos) == ["a"])
  }

  @Test func `tells the error of a save, and saves the changes with the next ones`() async throws {
    let container = try container(.afterEachPush(coalescingFor: .zero))
    var failures = container.autosaveFailures.makeAsyncIterator()
    try await ContextQueue(parent: container.coordinator).perform { context in
      context.country("a")
      try context.save()
    }
    let root = container.root
    // The store has an "a" already. The root is changed in one turn with the child's save.
    try await root.perform { context in
      let country = context.country("b")
      country.iso = "a"
    }
    let failure = try #require(await failures.next())
    #expect(!(failure is CancellationError))
    #expect(try await container.coordinator.fetch(isos) == ["a"])
    var saved = container.coordinator.values(of: isos).makeAsyncIterator()
    #expect(try await saved.next() == ["a"])
    try await root.perform { context in
      for country in context.insertedObjects { (country as? Country)?.iso = "c" }
    }
    #expect(try await saved.next() == ["a", "c"])
  }

  @Test func `saves what was pushed before it is deallocated`() async throws {
    let coordinator = try PersistentStoreCoordinator(
      at: folder.file("geography.strata"), model: geographyModel(), durability: .none)
    var saved = coordinator.values(of: isos).makeAsyncIterator()
    #expect(try await saved.next() == [])
    try await push("a", to: container(.afterEachPush(coalescingFor: .milliseconds(1))))
    #expect(try await saved.next() == ["a"])
  }

  @Test func `writes to a store in memory`() async throws {
    let container = try PersistentContainer(
      inMemory: geographyModel(), autosave: .afterEachPush(coalescingFor: .zero))
    var saved = container.coordinator.values(of: isos).makeAsyncIterator()
    #expect(try await saved.next() == [])
    try await push("a", to: container)
    #expect(try await saved.next() == ["a"])
  }

  @Test func `is not the default, which writes nothing until the root saves`() async throws {
    let container = try PersistentContainer(
      at: folder.file("geography.strata"), model: geographyModel(), durability: .none)
    #expect(container.autosave == .manual)
    try await push("a", to: container)
    #expect(try await container.root.perform { try $0.count(Country.all) } == 1)
    #expect(try await container.coordinator.fetch(isos) == [])
    for await failure in container.autosaveFailures { Issue.record(failure) }
    try await container.flush()
    #expect(try await container.coordinator.fetch(isos) == ["a"])
  }
}

@Suite struct `A container that is deallocated` {
  private static let sentence = "A container was deallocated while its root had unsaved changes."

  @Test func `says once in the log that its root has unsaved changes`() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let folder = try TemporaryDirectory()
      let model = try geographyModel()
      for name in ["unsaved", "saved", "unchanged"] {
        let container = try PersistentContainer(
          at: folder.file("\(name).strata"), model: model, durability: .none)
        if name == "unchanged" { continue }
        try await container.performBackgroundTask { context in
          context.country("secret")
          try context.save()
        }
        if name == "saved" { try await container.flush() }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains(Self.sentence) }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("unsaved.strata") == true)
    #expect(!text.contains("secret"), "a value of the program")
  }
}

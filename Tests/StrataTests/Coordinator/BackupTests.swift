// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// A container with `count` countries and a government each.
private func union(of count: Int, in directory: TemporaryDirectory) throws -> PersistentContainer {
  let container = try geography(in: directory)
  try container.root.performAndWait { context in
    for index in 0..<count {
      let country = context.country("\(index)", name: String(repeating: "x", count: 200))
      country.population = 100
    }
    try context.save()
  }
  return container
}

private func open(_ url: URL) throws -> PersistentContainer {
  try PersistentContainer(at: url, model: geographyModel(), durability: .none)
}

private func files(in directory: TemporaryDirectory) throws -> Set<String> {
  Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path))
}

/// Savers that work while backups are taken.
private final class Work: Sendable {
  let isDone = Atomic(false)
  let saveCount = Atomic(0)
}

@Suite struct `A backup` {
  @Test(arguments: [false, true])
  func `has everything that was saved, and nothing that was not`(isCompact: Bool) async throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let container = try union(of: 50, in: folder)
    try await container.coordinator.keepHistory()
    let id = try await container.root.perform { context in
      let city = context.city("saved", in: try context.fetch(Country.all).first)
      try context.save()
      context.city("unsaved")
      return city.objectID
    }
    let url = target.file("copy")
    try await container.coordinator.backUp(to: url, compacting: isCompact)
    #expect(try files(in: target) == ["copy"])
    let copy = try open(url)
    try await copy.root.perform { context in
      #expect(try context.cityNames() == ["saved"])
      #expect(try context.existingObject(City.self, with: id).country != nil)
      #expect(try context.count(Country.all) == 50)
      context.city("later")
      try context.save()
    }
    #expect(try copy.coordinator.fetchHistory(HistoryRequest()).count == 2)
    #expect(try container.coordinator.fetchHistory(HistoryRequest()).count == 1)
  }

  /// Each save moves people from one country to another.
  @Test(arguments: [false, true])
  func `has one state of the store, whatever is saved meanwhile`(isCompact: Bool) async throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let count = 200
    let container = try union(of: count, in: folder)
    let work = Work()
    await withTaskGroup(of: Void.self) { group in
      for seed in 1...2 as ClosedRange<UInt64> {
        group.addTask {
          let queue = ContextQueue(parent: container.coordinator)
          var random = SeededGenerator(seed: seed)
          while !work.isDone.load(ordering: .relaxed) {
            let step = random.next()
            _ = try? await queue.perform { context in
              var random = SeededGenerator(seed: step)
              context.rollback()
              context.refreshAllObjects()
              let all = try context.fetch(Country.all)
              for _ in 0..<20 {
                guard let from = all.randomElement(using: &random),
                  let to = all.randomElement(using: &random)
                else { continue }
                from.population -= 1
                to.population += 1
              }
              try context.save()
            }
            work.saveCount.add(1, ordering: .relaxed)
            // A task that finds its queue free goes on, and the pool has few threads.
            await Task.yield()
          }
        }
      }
      for number in 0..<12 {
        do {
          let url = target.file("copy \(number)")
          try await container.coordinator.backUp(to: url, compacting: isCompact)
          let total = try await open(url).root.perform { context in
            let all = try context.fetch(Country.all)
            #expect(all.count == count)
            return all.reduce(0) { $0 + $1.population }
          }
          #expect(total == 100 * count, "copy \(number)")
        } catch {
          Issue.record(error)
        }
      }
      work.isDone.store(true, ordering: .relaxed)
    }
    #expect(work.saveCount.load(ordering: .relaxed) > 0)
  }

  @Test func `tells its progress, and leaves nothing if it is cancelled`() async throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let container = try union(of: 5_000, in: folder)
    let told = Mutex<[BackupProgress]>([])
    try await container.coordinator.backUp(to: target.file("copy")) { progress in
      told.withLock { $0.append(progress) }
    }
    let all = told.withLock { $0 }
    #expect(all.count > 10 && all.allSatisfy { $0.completedByteCount <= $0.totalByteCount })
    #expect(all.map(\.completedByteCount) == all.map(\.completedByteCount).sorted())
    let size = try target.file("copy").resourceValues(forKeys: [.fileSizeKey]).fileSize
    #expect(all.last?.completedByteCount == size)

    let (begun, waiting) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await container.coordinator.backUp(to: target.file("other")) { _ in
        waiting.finish()
        // Until the cancellation has arrived.
        while !Task.isCancelled && !told.withLock({ $0.isEmpty }) { sched_yield() }
      }
    }
    for await _ in begun {}
    task.cancel()
    told.withLock { $0 = [] }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try files(in: target) == ["copy"])
  }

  @Test func `overwrites no file, and needs a folder`() throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let container = try union(of: 1, in: folder)
    let url = target.file("copy")
    try Data("mine".utf8).write(to: url)
    #expect {
      try container.coordinator.backUp(to: url)
    } throws: { error in
      guard case StoreError.fileExists(url.path) = error else { return false }
      return true
    }
    #expect(try Data(contentsOf: url) == Data("mine".utf8))
    #expect {
      try container.coordinator.backUp(to: target.file("none/copy"))
    } throws: { error in
      guard case StoreError.folderMissing = error else { return false }
      return true
    }
    #expect {
      try container.coordinator.backUp(to: folder.file("geography.strata"))
    } throws: { if case StoreError.fileExists = $0 { true } else { false } }
    #expect(try files(in: target) == ["copy"])
  }

  @Test func `of a store in memory is a store on the disk`() throws {
    let target = try TemporaryDirectory()
    let container = try geography()
    try container.root.performAndWait { context in
      context.city("A")
      try context.save()
    }
    try container.coordinator.backUp(to: target.file("copy"))
    let names = try open(target.file("copy")).root.performAndWait { try $0.cityNames() }
    #expect(names == ["A"])
  }

  @Test func `that compacts leaves out the space of what was deleted`() throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let container = try union(of: 5_000, in: folder)
    try container.coordinator.execute(BatchDeleteRequest(Country.all))
    func size(isCompact: Bool) throws -> Int {
      let url = target.file("\(isCompact)")
      try container.coordinator.backUp(to: url, compacting: isCompact)
      return try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    #expect(try size(isCompact: true) * 4 < size(isCompact: false))
  }

  @Test func `that compacts does not have the bytes of what was deleted`() throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let container = try union(of: 1, in: folder)
    let name = String(repeating: "secret", count: 40)
    try container.root.performAndWait { context in
      let city = context.city(name)
      try context.save()
      context.delete(city)
      try context.save()
    }
    for isCompact in [false, true] {
      try container.coordinator.backUp(to: target.file("\(isCompact)"), compacting: isCompact)
      let bytes = try Data(contentsOf: target.file("\(isCompact)"))
      #expect((bytes.range(of: Data(name.utf8)) == nil) == isCompact)
    }
  }

  @Test func `removes what an interrupted one has left`() throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let container = try union(of: 1, in: folder)
    try Data().write(to: target.file("other copy.new-\(UUID().uuidString)"))
    try container.coordinator.backUp(to: target.file("copy"))
    #expect(try files(in: target) == ["copy"])
  }

  @Test(arguments: ["x", "é", "𝄞"])
  func `and a store may have names of 250 bytes`(letter: String) throws {
    let (folder, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    let name = String(repeating: letter, count: 250 / letter.utf8.count)
    let container = try PersistentContainer(at: folder.file(name), model: geographyModel())
    try container.coordinator.backUp(to: target.file(name))
    let compact = target.file("c" + name.dropFirst())
    try container.coordinator.backUp(to: compact, compacting: true)
    try container.coordinator.compact()
    #expect(try files(in: folder) == [name, name + "-lock"])
    #expect(try files(in: target).count == 2)
    #expect(try ManagedObjectModel(ofStoreAt: target.file(name)).entities.count > 0)
  }
}

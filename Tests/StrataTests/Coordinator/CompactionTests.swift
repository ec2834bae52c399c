// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

private let countryCount = 400

/// A store that has had `countryCount` countries with governments, and has 10 of them now.
private func shrunkStore(in directory: TemporaryDirectory) throws -> PersistentContainer {
  let container = try geography(in: directory)
  try container.root.performAndWait { context in
    for index in 0..<countryCount {
      let name = String(repeating: "x", count: 2_000)
      context.country("\(index)", name: name).population = index
    }
    try context.save()
    for country in try context.fetch(Country.all) where country.population >= 10 {
      context.delete(country)
    }
    try context.save()
  }
  return container
}

private func byteCount(of container: PersistentContainer) throws -> Int {
  try container.coordinator.metadata().byteCount
}

/// Savers that work while the store is compacted.
private final class Work: Sendable {
  let isDone = Atomic(false)
  let saveCount = Atomic(0)
}

@Suite struct `A compaction` {
  @Test func `shrinks the file, and keeps objects, history, values and identity`() async throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    try await container.coordinator.keepHistory()
    try await container.coordinator.setMetadata("kept", forKey: "value")
    let id = try await container.root.perform { context in
      let city = context.city("saved", in: try context.fetch(Country.all).first)
      try context.save()
      context.city("unsaved")
      return city.objectID
    }
    let former = try byteCount(of: container)
    let result = try await container.coordinator.compact()
    #expect(result.formerByteCount == former)
    #expect(result.byteCount * 4 < former)
    #expect(try byteCount(of: container) == result.byteCount)
    #expect(try container.coordinator.metadata().value("value", as: String.self) == "kept")
    #expect(try container.coordinator.fetchHistory(HistoryRequest()).count == 1)
    try await container.root.perform { context in
      #expect(try context.count(Country.all) == 10)
      #expect(try context.existingObject(City.self, with: id).country != nil)
      #expect(try context.cityNames() == ["saved", "unsaved"])
      try context.save()
    }
    let again = ContextQueue(parent: container.coordinator)
    let names = try await again.perform { try $0.cityNames() }
    #expect(names == ["saved", "unsaved"])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(files.count == 2)
  }

  /// Each save moves people from one country to another, so that every state has the same sum.
  @Test func `lets savers and readers of all contexts go on`() async throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let work = Work()
    let sum = (0..<10).reduce(0, +)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in 1...3 as ClosedRange<UInt64> {
        let queue = ContextQueue(parent: container.coordinator)
        group.addTask {
          var random = SeededGenerator(seed: seed)
          while !work.isDone.load(ordering: .relaxed) {
            await Task.yield()
            let step = random.next()
            try await queue.perform { context in
              var random = SeededGenerator(seed: step)
              context.refreshAllObjects()
              let all = try context.fetch(Country.all)
              let found = all.reduce(0) { $0 + $1.population }
              #expect(found == sum)
              guard let from = all.randomElement(using: &random),
                let to = all.randomElement(using: &random)
              else { return }
              from.population -= 1
              to.population += 1
              do {
                try context.save()
                work.saveCount.add(1, ordering: .relaxed)
              } catch StoreError.conflicts {
                context.rollback()
              }
            }
          }
        }
      }
      defer { work.isDone.store(true, ordering: .relaxed) }
      var count = 0
      while count < 20 {
        do {
          try await container.coordinator.compact()
          count += 1
        } catch StoreError.snapshotHeld {
          // On a busy machine a turn may last for longer than a compaction waits.
        }
      }
      work.isDone.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    #expect(work.saveCount.load(ordering: .relaxed) > 0)
    let check = ContextQueue(parent: container.coordinator)
    let found = try await check.perform { context in
      try context.fetch(Country.all).reduce(0) { $0 + $1.population }
    }
    #expect(found == sum)
  }

  @Test func `gives new objects keys that no object has had`() throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    var ids: Set<ObjectID> = []
    for round in 0..<5 {
      ids.formUnion(
        try container.root.performAndWait { context in
          let cities = (0..<10).map { context.city("\(round) \($0)") }
          try context.save()
          return cities.map(\.objectID)
        })
      try container.coordinator.compact()
    }
    #expect(ids.count == 50)
    let count = try container.root.performAndWait { try $0.count(City.all) }
    #expect(count == 50)
  }

  @Test func `lets contexts insert objects while it copies`() async throws {
    let folder = try TemporaryDirectory()
    _ = try shrunkStore(in: folder)
    // A store that has inserted nothing since it was opened has reserved no serials.
    let container = try geography(in: folder)
    let queue = ContextQueue(parent: container.coordinator)
    let isInserted = DispatchSemaphore(value: 0)
    let work = Work()
    try await container.coordinator.compact { _ in
      if work.isDone.load(ordering: .relaxed) { return }
      Thread.detachNewThread {
        try? queue.performAndWait { context in _ = context.city("during") }
        isInserted.signal()
      }
      isInserted.wait()
      work.isDone.store(true, ordering: .relaxed)
    }
    let wasInserted = work.isDone.load(ordering: .relaxed)
    #expect(wasInserted)
    try await queue.perform { try $0.save() }
    let names = try await container.root.perform { try $0.cityNames() }
    #expect(names == ["during"])
  }

  @Test func `writes what was saved while it copied`() async throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let saves = DispatchGroup()
    let work = Work()
    try await container.coordinator.compact { _ in
      guard !work.isDone.exchange(true, ordering: .relaxed) else { return }
      for number in 0..<8 {
        saves.enter()
        Thread.detachNewThread {
          let queue = ContextQueue(parent: container.coordinator)
          try? queue.performAndWait { context in
            context.city("\(number)")
            try context.save()
          }
          saves.leave()
        }
      }
    }
    await withCheckedContinuation { continuation in
      saves.notify(queue: .global()) { continuation.resume() }
    }
    let reader = ContextQueue(parent: container.coordinator)
    let names = try await reader.perform { try $0.cityNames() }
    #expect(names == (0..<8).map { "\($0)" })
  }

  @Test func `keeps the permissions of the file`() throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let path = folder.file("geography.strata").path
    chmod(path, 0o664)
    try container.coordinator.compact()
    var information = stat()
    #expect(stat(path, &information) == 0)
    #expect(information.st_mode & 0o777 == 0o664)
  }

  @Test func `keeps the durability, though a reader has opened the store first`() throws {
    let folder = try TemporaryDirectory()
    _ = try shrunkStore(in: folder)
    let (url, model) = (folder.file("geography.strata"), try geographyModel())
    let reader = try PersistentContainer(
      at: url, model: model, durability: .none, isReadOnly: true)
    let writer = try PersistentContainer(at: url, model: model, durability: .full)
    reader.coordinator.store.close()
    try writer.coordinator.compact()
    #expect {
      try PersistentContainer(at: url, model: model, durability: .none)
    } throws: { if case StoreError.storage = $0 { true } else { false } }
    try writer.root.performAndWait { context in
      context.city("saved")
      try context.save()
    }
  }

  @Test func `is refused while a context is pinned, with nothing changed`() throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let reader = ContextQueue(parent: container.coordinator)
    try reader.performAndWait { context in
      try context.setQueryGeneration(from: .current)
      let count = try context.count(Country.all)
      #expect(count == 10)
    }
    let former = try byteCount(of: container)
    let error = #expect(throws: StoreError.self) { try container.coordinator.compact() }
    guard case .snapshotHeld = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try byteCount(of: container) >= former)
    try container.root.performAndWait { context in
      context.city("later")
      try context.save()
    }
    try reader.performAndWait { context in
      let pinned = try context.cityNames()
      #expect(pinned == [])
      try context.setQueryGeneration(from: nil)
      let newest = try context.cityNames()
      #expect(newest == ["later"])
    }
    let result = try container.coordinator.compact()
    #expect(result.byteCount < former)
  }

  @Test func `is refused while another coordinator has the store open`() throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let other = try PersistentContainer(
      at: folder.file("geography.strata"), model: container.model, durability: .none)
    #expect { try container.coordinator.compact() } throws: {
      if case StoreError.snapshotHeld = $0 { true } else { false }
    }
    for container in [container, other] {
      try container.root.performAndWait { context in
        context.city("a")
        try context.save()
      }
    }
    let names = try other.root.performAndWait { context in
      context.refreshAllObjects()
      return try context.cityNames()
    }
    #expect(names == ["a", "a"])
  }

  @Test func `changes nothing in a store in memory`() throws {
    let container = try PersistentContainer(inMemory: geographyModel())
    try container.root.performAndWait { context in
      context.city("a")
      try context.save()
    }
    let result = try container.coordinator.compact()
    #expect(result.byteCount == result.formerByteCount)
    let names = try container.root.performAndWait { try $0.cityNames() }
    #expect(names == ["a"])
  }

  @Test(arguments: [false, true])
  func `leaves the store as it is if the task is cancelled`(isCopying: Bool) async throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let former = try byteCount(of: container)
    let (begun, waiting) = AsyncStream<Void>.makeStream()
    let work = Work()
    let task = Task {
      if !isCopying { withUnsafeCurrentTask { $0?.cancel() } }
      try await container.coordinator.compact { _ in
        waiting.finish()
        // Until the cancellation has arrived.
        while !work.isDone.load(ordering: .relaxed) { sched_yield() }
      }
    }
    if isCopying { for await _ in begun {} }
    task.cancel()
    work.isDone.store(true, ordering: .relaxed)
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try byteCount(of: container) == former)
    try await container.root.perform { context in
      context.city("later")
      try context.save()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }

  @Test func `keeps lists and contexts that merge up to date`() async throws {
    let folder = try TemporaryDirectory()
    let container = try shrunkStore(in: folder)
    let follower = ContextQueue(parent: container.coordinator)
    try await follower.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let count = try context.count(City.all)
      #expect(count == 0)
    }
    try await container.coordinator.compact()
    try await container.root.perform { context in
      context.city("new")
      try context.save()
    }
    let names = try await follower.perform { try $0.cityNames() }
    #expect(names == ["new"])
  }
}

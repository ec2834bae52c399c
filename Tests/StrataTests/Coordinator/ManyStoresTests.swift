// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataLMDB
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `Stores in memory` {
  @Test(
    .enabled(
      if: ProcessRoom.hasFiles(forStores: 1_000) && ProcessRoom.hasAddresses(forStores: 1_000)))
  func `may be a thousand in one process`() throws {
    let model = try geographyModel()
    let containers = try (0..<1_000).map { _ in try PersistentContainer(inMemory: model) }
    for (number, container) in containers.enumerated() {
      try container.root.performAndWait { context in
        context.city("\(number)")
        try context.save()
      }
    }
    for (number, container) in containers.enumerated() {
      #expect(try container.root.performAndWait { try $0.cityNames() } == ["\(number)"])
    }
  }
}

/// `TestProcess.c` keeps Foundation from reading past a buffer, which ended the process.
@Suite struct `A process with many open files` {
  @Test(.enabled(if: ProcessRoom.hasFiles(forStores: 250)))
  func `starts others`() async {
    await #expect(processExitsWith: .success) {
      try #require(ProcessRoom.hasFiles(forStores: 250))
      for _ in 0..<1_400 { try #require(open("/dev/null", O_RDONLY) >= 0) }
      let succeededCount = Mutex(0)
      for round in 0..<50 {
        let group = DispatchGroup()
        for number in 0..<8 {
          group.enter()
          // The blocks move the buffer, in some rounds to the end of the thread's memory.
          Thread.detachNewThread {
            let count = (8 * round + number) % 64
            let blocks = (0..<count).map { _ in malloc(1_024 * (1 + number % 7)) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/true")
            if (try? process.run()) != nil {
              process.waitUntilExit()
              if process.terminationStatus == 0 { succeededCount.withLock { $0 += 1 } }
            }
            for block in blocks { free(block) }
            group.leave()
          }
        }
        group.wait()
      }
      try #require(succeededCount.withLock { $0 } == 400)
    }
  }
}

@Suite struct `A full store in memory` {
  /// The limit is that of the tests: `TestProcess.c`.
  @Test func `loses nothing, takes a deletion, and then other objects`() throws {
    let coordinator = try PersistentStoreCoordinator(inMemory: geographyModel())
    let context = ManagedObjectContext(parent: coordinator)
    var count = 0
    let full = try #require(throws: StoreError.self) {
      while true {
        context.city(String(repeating: "x", count: 1 << 20))
        try context.save()
        count += 1
      }
    }
    guard case .storeFull = full else { throw full }
    context.rollback()
    #expect(try count > 20 && context.count(City.all) == count)
    for city in try context.fetch(City.all) { context.delete(city) }
    try context.save()
    context.city("after")
    try context.save()
    #expect(try context.cityNames() == ["after"])
  }
}

/// At the default settings, which the tests of this process do not have: `TestProcess.c`.
@Suite struct `Stores in files` {
  @Test(
    .enabled(
      if: ProcessRoom.hasFiles(forStores: 1_000)
        && ProcessRoom.hasAddresses(forStores: 1_000, mapByteCount: 65 << 30)))
  func `may be a thousand in one process, with 10 GB mapped beside them`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("STRATA_BYTE_COUNT_MAX")
      try #require(ProcessRoom.hasFiles(forStores: 1_000))
      let folder = try TemporaryDirectory()
      let model = try geographyModel()
      let before = ProcessRoom.openFileCount
      let containers = try (0..<1_000).map { number in
        try PersistentContainer(
          at: folder.file("\(number).strata"), model: model, durability: .none)
      }
      // Four for each store. Dispatch and the test's own process open and close some of theirs.
      let fileCount = ProcessRoom.openFileCount - before
      try #require(3_990..<4_100 ~= fileCount, "\(fileCount)")
      let pinned = ManagedObjectContext(parent: containers[7].coordinator)
      try pinned.setQueryGeneration(from: .current)
      for (number, container) in containers.enumerated() where number % 2 == 1 {
        try await container.root.perform { context in
          context.city("\(number)")
          try context.save()
        }
      }
      let byteCount = 10_000_000_000
      let mapped = mmap(
        nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
      try #require(mapped != MAP_FAILED)
      mapped?.storeBytes(of: 1, toByteOffset: byteCount - 1, as: UInt8.self)
      let root = containers[7].root
      for number in 0..<50 {
        try root.performAndWait { context in
          context.city("later \(number)")
          try context.save()
        }
      }
      try #require(try pinned.count(City.all) == 0)
      try #require(try root.performAndWait { try $0.count(City.all) } == 51)
      for (number, container) in containers.enumerated() where number != 7 {
        let names = try container.root.performAndWait { try $0.cityNames() }
        try #require(names == (number % 2 == 1 ? ["\(number)"] : []))
      }
      // A store that is not written to for a while has no thread.
      while ProcessRoom.threadCount > 100 { try await Task.sleep(for: .milliseconds(100)) }
    }
  }

  @Test func `may grow to 32 GiB, or to twice the size of a larger file`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("STRATA_BYTE_COUNT_MAX")
      try #require(EnvironmentOptions.byteCountMaxDefault == 32 << 30)
      try #require(EnvironmentOptions.byteCountMaxInMemory == 16 << 30)
      try #require(PersistentStoreCoordinator.defaultBusyTimeout == .seconds(30))
    }
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let (url, model) = (folder.file("store"), try geographyModel())
      func grow() throws {
        let container = try PersistentContainer(at: url, model: model, durability: .none)
        while true {
          try container.root.performAndWait { context in
            for _ in 0..<100 { context.city(String(repeating: "x", count: 500)) }
            try context.save()
          }
        }
      }
      setenv("STRATA_BYTE_COUNT_MAX", "\(3 << 20)", 1)
      for megabytes in [3, 6, 12] {
        do {
          try grow()
        } catch StoreError.storeFull {}
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        try #require((megabytes << 20) * 9 / 10...(megabytes << 20) ~= size, "\(size)")
      }
    }
  }

  @Test func `leave nothing behind when they are closed`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("STRATA_BYTE_COUNT_MAX")
      let count = ProcessInfo.processInfo.environment["STRATA_OPENINGS"].flatMap(Int.init) ?? 500
      let folder = try TemporaryDirectory()
      let model = try geographyModel()
      let url = folder.file("store.strata")
      func open(_ number: Int) throws {
        let container = try PersistentContainer(at: url, model: model, durability: .none)
        try container.root.performAndWait { context in
          context.city("\(number)")
          try context.save()
          try #require(try context.count(City.all) == number + 1)
        }
      }
      for number in 0..<20 { try open(number) }
      let (files, addresses) = (ProcessRoom.openFileCount, ProcessRoom.addressByteCount)
      for number in 20..<count { try open(number) }
      try #require(ProcessRoom.openFileCount <= files)
      try #require(ProcessRoom.addressByteCount < addresses + 1 << 30)
    }
  }
}

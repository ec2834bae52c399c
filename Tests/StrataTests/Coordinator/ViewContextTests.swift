// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import Testing

@MainActor
@Suite struct `The view context` {
  @Test func `sees a worker's save without any save of the root`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      context.city("A")
      try context.save()
    }
    #expect(try container.viewContext.cityNames() == ["A"])
  }

  @Test func `ends its turn when it enters a queue, so that the body sees its changes`()
    async throws
  {
    let container = try geography()
    let child = ContextQueue(parent: container.viewContext.layer)
    container.viewContext.city("A")
    #expect(try await child.perform { try $0.cityNames() } == ["A"])
    container.viewContext.city("B")
    #expect(try child.performAndWait { try $0.cityNames() } == ["A", "B"])
  }

  @Test func `ends its turn when an observer of another's turn enters a queue`() async throws {
    let (first, second) = (try geography(), try geography())
    let child = ContextQueue(parent: second.viewContext.layer)
    let (counts, count) = AsyncStream.makeStream(of: Int.self)
    let observer = Observer(.objectsDidChange, of: first.viewContext.layer) { _ in
      MainActor.assumeIsolated {
        let found = try? child.performAndWait { try $0.count(City.all) }
        count.yield(found ?? -1)
      }
    }
    first.viewContext.city("A")
    second.viewContext.city("B")
    // The main actor's next job ends both turns, the first context's before the other one's.
    for await found in counts {
      #expect(found == 1)
      break
    }
    withExtendedLifetime(observer) {}
  }

  @Test func `ends its turn by itself when the main actor gets to its next job`() async throws {
    let container = try geography()
    let layer = container.viewContext.layer
    container.viewContext.city("A")
    let names = try await Task.detached {
      var names: [String] = []
      while names.isEmpty {
        names = try await ContextQueue(parent: layer).perform { try $0.cityNames() }
        await Task.yield()
      }
      return names
    }.value
    #expect(names == ["A"])
  }

  @Test func `saves to the root in memory`() async throws {
    let container = try geography()
    container.viewContext.city("A")
    try container.viewContext.save()
    #expect(!container.viewContext.hasChanges)
    #expect(try await container.root.perform { try $0.cityNames() } == ["A"])
  }

  @Test func `has one snapshot for a turn, and the newest in the next`() async throws {
    let container = try geography()
    #expect(try container.viewContext.cityNames() == [])
    try await container.newBackgroundContext().perform { context in
      context.city("A")
      try context.save()
    }
    container.viewContext.processPendingChanges()
    #expect(try container.viewContext.cityNames() == ["A"])
  }
}

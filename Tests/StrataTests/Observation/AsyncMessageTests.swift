// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `A context's messages, asynchronously` {
  @Test func `come as a sequence of the layer, in order, of the kinds that were asked for`()
    async throws
  {
    let container = try geography()
    var all = container.root.messages().makeAsyncIterator()
    var saves = container.root.messages(.willSave, .didSave).makeAsyncIterator()
    try await container.newBackgroundContext().perform { _ = $0.city("elsewhere") }
    let id = try await container.root.perform { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
    for kind in [ManagedObjectContext.Message.Kind.objectsDidChange, .willSave, .didSave] {
      let message = await all.next()
      #expect(message?.kind == kind)
      #expect(message?.objects.inserted == [id])
      #expect(message?.objects.changedProperties(of: id) == ["name", "population"])
    }
    #expect(await saves.next()?.kind == .willSave)
    #expect(await saves.next()?.kind == .didSave)
  }

  @Test func `end when the context is gone`() async throws {
    let container = try geography()
    var worker: ContextQueue? = container.newBackgroundContext()
    let layer = try #require(worker).layer
    let stream = layer.messages([.objectsDidChange], limit: 10)
    try await worker?.perform { _ = $0.city("A") }
    worker = nil
    var count = 0
    for await _ in stream { count += 1 }
    #expect(count == 1)
    for await _ in layer.messages([], limit: 1) { Issue.record("nobody is there to post") }
  }

  @Test func `that are not taken are dropped from the oldest, and the numbers tell`() async throws {
    let container = try geography()
    var worker: ContextQueue? = container.newBackgroundContext()
    let stream = try #require(worker).messages(.objectsDidChange, limit: 2)
    for name in ["A", "B", "C", "D", "E"] { try await worker?.perform { _ = $0.city(name) } }
    worker = nil
    var numbers: [Int] = []
    for await message in stream { numbers.append(message.number) }
    #expect(numbers == [4, 5])
  }

  @Test func `do not keep the context or its container`() async throws {
    weak var coordinator: PersistentStoreCoordinator?
    let stream = try await {
      let container = try geography()
      coordinator = container.coordinator
      let stream = container.root.messages()
      try await container.root.perform { _ = $0.city("A") }
      return stream
    }()
    var kinds: [ManagedObjectContext.Message.Kind] = []
    for await message in stream { kinds.append(message.kind) }
    #expect(kinds == [.objectsDidChange])
    #expect(coordinator == nil)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

private enum Caller {
  @TaskLocal static var name = "none"
}

@Suite struct `A context that integrates a child's save by itself` {
  @Test func `does it in its queue without the task-local values of the saver`() async throws {
    let container = try geography()
    try await expectNoName(
      in: container.root.layer, savingIn: container.newBackgroundContext())
  }

  @MainActor
  @Test func `does it on the main actor without the task-local values of the saver`() async throws {
    let container = try geography()
    let layer = container.viewContext.layer
    try await expectNoName(in: layer, savingIn: ContextQueue(parent: layer))
  }

  /// Expects observers of `parent` to have no task-local value when a save of `child` comes.
  private func expectNoName(in parent: ContextLayer, savingIn child: ContextQueue) async throws {
    let (names, name) = AsyncStream.makeStream(of: String.self)
    let observer = Observer(.objectsDidChange, of: parent) { _ in name.yield(Caller.name) }
    try await Caller.$name.withValue("saver") {
      try await child.perform { context in
        context.city("A")
        try context.save()
      }
    }
    // Nothing else enters the parent.
    for await name in names {
      #expect(name == "none")
      break
    }
    withExtendedLifetime(observer) {}
  }
}

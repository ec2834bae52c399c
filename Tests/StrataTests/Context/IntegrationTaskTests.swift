// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

private enum Caller {
  @TaskLocal static var name = "none"
}

@Suite(.timeLimit(.minutes(1))) struct `A queue that integrates a child's save by itself` {
  @Test func `does it without the task-local values of the saver`() async throws {
    let container = try geography()
    let (names, name) = AsyncStream.makeStream(of: String.self)
    let observer = Observer(.objectsDidChange, of: container.root.layer) { _ in
      name.yield(Caller.name)
    }
    let queue = container.newBackgroundContext()
    try await Caller.$name.withValue("saver") {
      try await queue.perform { context in
        context.city("A")
        try context.save()
      }
    }
    // Nothing else enters the root.
    for await name in names {
      #expect(name == "none")
      break
    }
    withExtendedLifetime(observer) {}
  }
}

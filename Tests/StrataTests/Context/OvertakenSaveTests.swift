// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Dispatch
  import Foundation
  import Strata
  import StrataChanges
  import Synchronization
  import Testing

  @Suite struct `A save to a parent` {
    @Test func `is done although a sibling saves during each of its attempts`() throws {
      let container = try geography()
      let (root, schema) = (container.root, container.coordinator.schema)
      let id = try root.performAndWait { context in
        let city = context.city("A")
        try context.save()
        return city.objectID
      }
      let (saver, sibling) = (ContextQueue(parent: root), ContextQueue(parent: root))
      try saver.performAndWait { context in
        // A pinned context looks its changed objects up, in a snapshot, at each attempt.
        try context.setQueryGeneration(from: .current)
        try context.existingObject(City.self, with: id).population = 1
      }
      let saversThread = pthread_self()
      let siblings = Mutex<[HeldThread<Void>]>([])
      PausePoint.observe(schema) { point in
        guard point == .snapshotTaken, pthread_equal(pthread_self(), saversThread) != 0 else {
          return
        }
        let isSaved = DispatchSemaphore(value: 0)
        let thread = HeldThread<Void> { _ in
          defer { isSaved.signal() }
          try sibling.performAndWait { context in
            context.city("B")
            try context.save()
          }
        }
        siblings.withLock { $0.append(thread) }
        // It waits for the saver once that goes first.
        _ = isSaved.wait(timeout: .now() + .milliseconds(300))
      }
      try saver.performAndWait { try $0.save() }
      PausePoint.observe(schema, nil)
      let threads = siblings.withLock { $0 }
      for thread in threads { try thread.finish() }
      let (population, count) = try root.performAndWait { context in
        (
          try context.existingObject(City.self, with: id).population,
          try context.count(City.where { $0.name == "B" })
        )
      }
      #expect(population == 1)
      #expect(count == threads.count)
      #expect(count >= 4)
    }
  }
#endif

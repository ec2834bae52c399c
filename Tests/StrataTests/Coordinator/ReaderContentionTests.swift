// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
  import Strata
  import Testing

  /// The number of times that the calling thread has slept in the kernel, for a lock or any other
  /// reason, since it was started. Preemption on a busy machine is not counted.
  private func sleepCount() -> Int {
    var usage = rusage()
    let code = getrusage(callingThread, &usage)
    precondition(code == 0, "The system does not count the switches of a thread.")
    return Int(usage.ru_nvcsw)
  }

  /// linux/resource.h: RUSAGE_THREAD, which Swift's Glibc does not have.
  private let callingThread: Int32 = 1

  @Suite struct `Many threads that read, each in a queue of its own` {
    @Test func `hardly ever put one another to sleep, and never wait for the layers`() throws {
      let (threadCount, queryCount) = (8, 1_000)
      let container = try geography()
      try container.root.performAndWait { context in
        for number in 0..<100 { context.city("city \(number)") }
        try context.save()
      }
      let threads = (0..<threadCount).map { _ in
        HeldThread<Int> { thread in
          let queue = container.newBackgroundContext()
          func query(_ number: Int) throws {
            let name = "city \(number % 100)"
            _ = try queue.performAndWait { try $0.fetchIDs(City.where { $0.name == name }) }
          }
          try query(0)
          thread.hold()
          let start = sleepCount()
          for number in 0..<queryCount { try query(number) }
          return sleepCount() - start
        }
      }
      for thread in threads { thread.untilHeld() }
      let waits = container.coordinator.lockStatistics.layers
      for thread in threads { thread.letGo() }
      let sleeps = try threads.map { try $0.finish() }.reduce(0, +)
      #expect(Double(sleeps) / Double(threadCount * queryCount) < 0.1, "\(sleeps) sleeps")
      #expect(container.coordinator.lockStatistics.layers == waits)
    }
  }
#endif

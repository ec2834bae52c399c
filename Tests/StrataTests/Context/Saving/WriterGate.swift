// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Dispatch
  import Strata
  import StrataChanges

  /// Holds a store's writer before its commit, so that a test can act while a save is under way.
  final class WriterGate: Sendable {
    private let container: PersistentContainer
    private let isReached = DispatchSemaphore(value: 0)
    private let mayCommit = DispatchSemaphore(value: 0)

    init(_ container: PersistentContainer) {
      self.container = container
      PausePoint.observe(container.coordinator.schema) { [isReached, mayCommit] point in
        guard point == .tagged else { return }
        isReached.signal()
        mayCommit.wait()
      }
    }

    /// Begins a save, of the root if no other is given, and returns when the writer is about to
    /// commit it.
    @discardableResult
    func begin(_ other: Task<Void, any Error>? = nil) async -> Task<Void, any Error> {
      let save = other ?? Task { try await container.root.save() }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { [isReached] in
          isReached.wait()
          continuation.resume()
        }
      }
      return save
    }

    /// Lets the writer commit once: the next commit is held, too.
    func letOneCommit() { mayCommit.signal() }

    /// Lets the writer commit, and releases all waiting threads.
    func open() {
      PausePoint.observe(container.coordinator.schema, nil)
      mayCommit.signal()
    }

    /// Opens the gate after `body`, also if that throws.
    func open(after body: () throws -> Void) rethrows {
      defer { open() }
      try body()
    }
  }
#endif

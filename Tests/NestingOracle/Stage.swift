// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Strata
import StrataChanges
import StrataTestSupport

/// A store, in memory or shared by two coordinators, on which one sequence after the other runs,
/// since a store costs more than a sequence.
///
/// ## Isolation
/// Belongs to the thread that runs the sequences.
package final class Stage {
  let container: PersistentContainer
  /// Another coordinator on the same file; the same one if the store is in memory.
  let other: PersistentContainer
  let isShared: Bool
  private let directory: TemporaryDirectory?
  private let writer: ContextQueue
  private let bolt: ObjectID

  /// - Parameters:
  ///   - isShared: whether there are two coordinators on one file.
  ///   - fault: a mistake that the engine is to make on this store.
  package init(isShared: Bool, fault: Fault? = nil) throws {
    let model = try ManagedObjectModel(Node.self, Bolt.self)
    self.isShared = isShared
    if isShared {
      let directory = try TemporaryDirectory()
      let url = directory.file("nodes.strata")
      container = try PersistentContainer(at: url, model: model, durability: .none)
      other = try PersistentContainer(at: url, model: model, durability: .none)
      self.directory = directory
    } else {
      container = try PersistentContainer(inMemory: model)
      other = container
      directory = nil
    }
    if let fault {
      for container in [container, other] { fault.plant(in: container) }
    }
    writer = ContextQueue(parent: container.coordinator)
    bolt = try writer.performAndWait { context in
      let bolt = Bolt(context: context)
      try context.save()
      return bolt.objectID
    }
  }

  /// Removes the objects of the last sequence.
  func clear() throws {
    _ = try container.coordinator.execute(BatchDeleteRequest(Node.all))
  }

  #if DEBUG
    /// Occupies the store's writer until the lock is opened: a save that is begun before that
    /// waits.
    func lock() -> Lock {
      Lock(schema: container.coordinator.schema, writer: writer, bolt: bolt)
    }

    /// The store's writer, held before a commit.
    final class Lock {
      private let schema: Schema
      private let mayCommit = DispatchSemaphore(value: 0)
      private let isDone = DispatchSemaphore(value: 0)

      init(schema: Schema, writer: ContextQueue, bolt: ObjectID) {
        self.schema = schema
        let isReached = DispatchSemaphore(value: 0)
        PausePoint.observe(schema) { [mayCommit] point in
          guard point == .tagged else { return }
          isReached.signal()
          mayCommit.wait()
        }
        DispatchQueue.global().async { [isDone] in
          try? writer.performAndWait { context in
            try context.existingObject(Bolt.self, with: bolt).turnCount += 1
            try context.save()
          }
          isDone.signal()
        }
        isReached.wait()
        PausePoint.observe(schema, nil)
      }

      func open() {
        mayCommit.signal()
        isDone.wait()
      }
    }
  #endif
}

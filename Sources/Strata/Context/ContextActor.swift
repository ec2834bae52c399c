// SPDX-License-Identifier: Apache-2.0
import Dispatch
public import StrataChanges

/// An actor with a managed object context of its own. SwiftData: `ModelActor`.
///
/// Declare an actor, give it an executor, and use `context` in its methods as you would use any
/// confined context:
///
/// ```swift
/// actor Importer: ContextActor {
///   let executor: ContextExecutor
///
///   init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }
///
///   func add(_ name: String) throws {
///     City(context: context).name = name
///     try context.save()
///   }
/// }
/// ```
///
/// A method of the actor runs from its beginning, or from one `await`, to the next `await` or to
/// its end. Each such section is one turn of the context, as a block of a `ContextQueue` is:
/// children and observers see all of it or nothing, and between two sections the context reads
/// nothing, so an idle actor keeps no old pages of the store from being reused. Unsaved changes
/// stay pending until the actor saves them.
///
/// ## Isolation
/// The context and its objects belong to the actor. The compiler lets neither leave it; an
/// `ObjectID` may.
public protocol ContextActor: Actor {
  /// Runs the actor and owns its context. Store one in a `let`.
  nonisolated var executor: ContextExecutor { get }
}

extension ContextActor {
  /// The executor, as the system asks for it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var context: ManagedObjectContext { executor.context }
}

/// Runs the code of a `ContextActor`, each section of it as one turn of a context that the executor
/// owns.
///
/// Two actors that are given the same executor share the context and exclude each other.
///
/// ## Lifetime
/// The context lives as long as the executor, which lives as long as an actor or a section of its
/// code needs it.
///
/// ## Isolation
/// Sendable. Code runs on threads of the system's dispatch pool, because it may block them: reading
/// and `save()` wait for the disk.
public final class ContextExecutor: SerialExecutor {
  private let queue: ContextQueue
  private let jobs = DispatchQueue(label: "Strata.ContextExecutor")

  /// Makes an executor with a context below `parent`.
  public init(parent: some ContextParent) { queue = ContextQueue(parent: parent) }

  /// The layer of the context: the parent of its children, and the subject of its notifications.
  public var layer: ContextLayer { queue.layer }

  /// The context. Reached only through a `ContextActor`, and so in its isolation.
  fileprivate var context: ManagedObjectContext { queue.context }

  /// Runs a job of an actor after the jobs that were enqueued before, with the context. The system
  /// calls it; a program does not.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.async { [self] in
      do {
        try queue.performAndWait { _ in job.runSynchronously(on: asUnownedSerialExecutor()) }
      } catch {
        preconditionFailure(
          "The executor's dispatch thread holds no queue, so waiting cannot deadlock: \(error)")
      }
    }
  }

  /// Stops the program if the caller is not in a section of the executor's code. The system asks,
  /// for `assumeIsolated`.
  public func checkIsolated() {
    precondition(
      ThreadFrames.isInside(queue), "This code is isolated to an actor in which it does not run.")
  }
}

extension ContextExecutor: ContextParent {
  public var place: _ContextPlace { queue.place }
}

// SPDX-License-Identifier: Apache-2.0
import Dispatch
public import StrataChanges
import StrataPrimitives

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
/// After `await importer.add("Yazd")` the calling task sees the city in each child of
/// `importer.executor`. Another task, which learns from that one that the call has ended, calls
/// `waitUntilPublished()` of the executor before it reads.
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
  /// The section whose code runs, or whose work is being published.
  private let section = CountedMutex<ContextSection?>(nil)

  /// Makes an executor with a context below `parent`.
  public init(parent: some ContextParent) {
    queue = ContextQueue(parent: parent)
    queue.layer.onSectionPass { [weak self] in self?.passSection() }
  }

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
        try queue.performAndWait { runSection(job, in: $0) }
      } catch {
        stopProgram(
          "The executor's dispatch thread holds no queue, so waiting cannot deadlock: \(error)")
      }
    }
  }

  /// Suspends until each section of the executor's code that has ended is published, and observers
  /// were notified of it.
  ///
  /// The task that calls a method of the actor needs no waiting: its reads in children see the
  /// method's work. A reader in another task does, because nothing else tells it that the
  /// section is published:
  ///
  /// ```swift
  /// async let isAdded: Void = importer.add("Yazd")
  /// await isAdded  // a task of its own has called the method
  /// await importer.executor.waitUntilPublished()
  /// let names = try await child.perform { try $0.fetch(City.all).map(\.name) }
  /// ```
  ///
  /// It takes its place in line behind the calls that the actor was given before. In the actor's
  /// own code it ends the section, as any `await` may.
  public func waitUntilPublished() async {
    await withCheckedContinuation { continuation in jobs.async { continuation.resume() } }
  }

  // MARK: - Sections

  /// Runs a section of an actor's code, and publishes its work before observers are notified: a
  /// reader of the same task may wait for that, and observers may enter the reader's queue.
  private func runSection(_ job: UnownedJob, in context: ManagedObjectContext) {
    let section = ContextSection(of: TaskIdentity(of: job))
    self.section.withLock { $0 = section }
    layer.noteSection(of: section.task)
    job.runSynchronously(on: asUnownedSerialExecutor())
    PausePoint.sectionEnded.reach(context.schema)
    context.publisher.publishSection {
      layer.noteSection(of: nil)
      self.section.withLock { $0 = nil }
      section.end()
    }
  }

  /// Waits until the section that the calling task has left is published. Returns at once inside a
  /// section, which goes on.
  private func passSection() {
    guard let section = section.withLock({ $0 }), TaskIdentity.current == section.task,
      !ThreadFrames.isInside(queue)
    else { return }
    section.waitUntilPublished()
  }

  // MARK: - Isolation

  /// Stops the program if the caller is not in a section of the executor's code. The system asks,
  /// for `assumeIsolated`.
  public func checkIsolated() {
    require(
      ThreadFrames.isInside(queue),
      "This code is isolated to a ContextActor in which it does not run: call it with await.")
  }
}

extension ContextExecutor: ContextParent {
  public var place: _ContextPlace { queue.place }
}

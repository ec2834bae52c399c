// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataPrimitives

/// One section of an actor's code, from its beginning until its work is published.
///
/// The runtime runs a section as a job of a task, and resumes the task where it goes on from within
/// that job. So after `await actor.method()` the task may read before the executor knows that the
/// section has ended. Which moment that is, an executor cannot see. A reader can: if the section is
/// of the reader's own task, and the reader is not inside of it, then its code has ended, because a
/// task runs in one place at a time. Such a reader waits for the publication.
///
/// A reader of another task, which cannot know whether the section has ended, never waits.
///
/// ## Why no reader waits for ever
/// - The thread that runs the section has only to return from the job and to publish. No code of
///   the program runs on it before the publication: observers are notified afterwards.
/// - Publishing waits for no queue and no reader. It takes the locks of layers and of the store,
///   which are held for single steps, and reads the store, which waits for a limited time at most.
/// - The thread has no current task, so it does not wait for another section. Sections of actors
///   that are parent and child do not wait for each other.
/// - A task that has ended leaves its address to later ones. If one of these waits, the section's
///   code has ended all the same. (The job of an `isolated deinit` belongs to no task, and
///   its memory is free before its code runs. A new task that has its address waits for the
///   deinit's end, so a deinit must not block its thread until a task has read.)
///
/// ## States
/// Running, published: `end` ends the first.
///
/// ## Isolation
/// Sendable. The thread that runs the section ends it; one other may wait.
final class ContextSection: Sendable {
  let task: TaskIdentity
  private let publication = DispatchGroup()

  init(of task: TaskIdentity) {
    self.task = task
    publication.enter()
  }

  /// The work is published. Called once.
  func end() { publication.leave() }

  /// Waits for the publication. The calling task has left the section.
  func waitUntilPublished() { publication.wait() }
}

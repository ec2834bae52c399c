// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataChanges
import StrataPrimitives

/// The contexts that the calling thread is inside of, innermost first: queues' contexts by way of
/// `perform` and `performAndWait`.
///
/// A frame is on the stack of the call that entered the queue and is linked to the one below.
/// Bodies are synchronous, so a thread leaves in the reverse order of entering, and no other thread
/// sees its frames.
enum ThreadFrames {
  struct Frame {
    let queue: Uncounted<ContextQueue>
    let below: UnsafeMutableRawPointer?
  }

  /// Runs `body` inside `queue`, whose lock the calling thread holds.
  static func enter<R>(_ queue: ContextQueue, _ body: () throws -> R) rethrows -> R {
    let below = strata_get_top_frame()
    var frame = Frame(queue: Uncounted(queue), below: below)
    return try withUnsafeMutablePointer(to: &frame) { pointer in
      strata_set_top_frame(UnsafeMutableRawPointer(pointer))
      defer { strata_set_top_frame(below) }
      return try body()
    }
  }

  /// Whether the calling thread is inside `queue`.
  static func isInside(_ queue: ContextQueue) -> Bool {
    first { $0.queue.refers(to: queue) } != nil
  }

  /// Whether the calling thread is inside a queue other than the one of this layer's context.
  static func isInsideOther(than layer: ContextLayer) -> Bool {
    first { $0.queue.with { $0.layer !== layer } } != nil
  }

  /// The context with this layer, if the calling thread is inside its queue.
  static func enteredContext(with layer: ContextLayer) -> ManagedObjectContext? {
    first { $0.queue.with { $0.layer === layer } }?.queue.counted.context
  }

  private static func first(_ isMatch: (Frame) -> Bool) -> Frame? {
    var next = strata_get_top_frame()
    while let pointer = next {
      // Safety: only `enter` pushes frames, and they are on this thread's stack until they are
      // popped.
      let frame = pointer.assumingMemoryBound(to: Frame.self).pointee
      if isMatch(frame) { return frame }
      next = frame.below
    }
    return nil
  }
}

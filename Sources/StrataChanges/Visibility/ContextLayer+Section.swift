// SPDX-License-Identifier: Apache-2.0
package import StrataPrimitives
import Synchronization

// A section of an actor's code ends, and the runtime continues the task elsewhere, before the
// actor's executor learns of the end and publishes the section's work. A reader of the same task
// knows the end from being there.

extension ContextLayer {
  /// Notes whose section of an actor's code runs in the layer's context; nil if its work is
  /// published.
  package func noteSection(of task: TaskIdentity?) {
    sectionTask.store(task?.address ?? 0, ordering: .releasing)
  }

  /// Has `handler` called when a reader needs the work of the section that its task has left.
  /// Called once at most.
  package func onSectionPass(_ handler: @escaping @Sendable () -> Void) {
    owner.withLock { $0.passSection = handler }
  }

  /// Waits until the work of the section that the calling task has left is published, if it has
  /// left one. Otherwise one atomic load.
  package func passSection() {
    let task = sectionTask.load(ordering: .acquiring)
    if task == 0 || task != TaskIdentity.current?.address { return }
    owner.withLock { $0 }.passSection?()
  }
}

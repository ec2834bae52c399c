// SPDX-License-Identifier: Apache-2.0
import CStrata

/// Releases the parents of contexts that are deallocated, one after the other.
///
/// A context keeps its parent alive, and so on up to the root. Without this, the release of the
/// innermost of many contexts would deallocate each within the deallocation of the one below it,
/// and overflow the stack. So a context whose deallocation is caused by a release here leaves its
/// own parent to that release.
///
/// ## Isolation
/// Each thread has releases of its own.
enum ParentRelease {
  static func release(_ parent: consuming AnyObject?) {
    if let waiting = strata_get_waiting_releases() {
      // Safety: the release under way further up this thread's stack has set it, to this type.
      waiting.assumingMemoryBound(to: [AnyObject?].self).pointee.append(consume parent)
      return
    }
    var waiting = [consume parent]
    withUnsafeMutablePointer(to: &waiting) { waiting in
      strata_set_waiting_releases(waiting)
      while !waiting.pointee.isEmpty { _ = waiting.pointee.removeLast() }
      strata_set_waiting_releases(nil)
    }
  }
}

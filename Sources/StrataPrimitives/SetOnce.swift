// SPDX-License-Identifier: Apache-2.0
public import Synchronization

/// A reference that is set once and then stays, read without a lock.
///
/// It is what the standard library calls `AtomicLazyReference`, which takes 640 instructions for each
/// read (Swift 6.3.1): its methods are generic code in the library. Segments are asked for their era
/// by each view that is taken.
///
/// ## Isolation
/// Sendable: the reference is atomic, and what it leads to is Sendable.
@usableFromInline
package struct SetOnce<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
  @usableFromInline let stored = Atomic<Unmanaged<Instance>?>(nil)

  @inlinable package init() {}

  @inlinable deinit { stored.load(ordering: .acquiring)?.release() }

  /// What was set, or nil.
  @inlinable
  package func load() -> Instance? {
    stored.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Sets `instance`, unless something is set.
  ///
  /// - Returns: what is set.
  @inlinable
  @discardableResult
  package func storeIfNil(_ instance: Instance) -> Instance {
    let offered = Unmanaged.passRetained(instance)
    let (isSet, present) = stored.compareExchange(
      expected: nil, desired: offered, ordering: .acquiringAndReleasing)
    if isSet { return instance }
    offered.release()
    return present?.takeUnretainedValue() ?? instance
  }
}

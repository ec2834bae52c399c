// SPDX-License-Identifier: Apache-2.0
public import Synchronization

/// A reference that is set once and then stays, read without a lock.
///
/// The standard library's equivalent, `AtomicLazyReference`, takes 640 instructions for each read
/// (Swift 6.3.1): its methods are generic code in the library. Each view reads the epoch of its
/// segments.
///
/// ## Isolation
/// Sendable: the reference is atomic, and its instance is Sendable.
@usableFromInline
package struct SetOnce<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
  @usableFromInline let stored = Atomic<Unmanaged<Instance>?>(nil)

  @inlinable package init() {}

  @inlinable deinit { stored.load(ordering: .acquiring)?.release() }

  /// The instance; nil before it is set.
  @inlinable
  package func load() -> Instance? {
    stored.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Sets `instance`, unless one is set.
  ///
  /// - Returns: the instance that is set.
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

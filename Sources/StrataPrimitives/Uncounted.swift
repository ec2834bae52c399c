// SPDX-License-Identifier: Apache-2.0

/// A reference that is not counted, for paths on which counting would cost as much as the work.
///
/// ## Lifetime
/// Its maker sees to it that something else keeps the instance for as long as the reference is
/// used.
@frozen
@usableFromInline
package struct Uncounted<Instance: AnyObject> {
  @usableFromInline let unmanaged: Unmanaged<Instance>

  @inlinable @inline(__always)
  package init(_ instance: Instance) { unmanaged = .passUnretained(instance) }

  /// The instance, counted from here on.
  @inlinable @inline(__always)
  package var counted: Instance { unmanaged.takeUnretainedValue() }

  /// Calls `body` with the instance, without counting.
  @inlinable @inline(__always)
  package func with<Result>(_ body: (Instance) throws -> Result) rethrows -> Result {
    // Safety: the owner of the instance (Lifetime) outlives the call.
    try unmanaged._withUnsafeGuaranteedRef(body)
  }

  @inlinable @inline(__always)
  package func refers(to instance: Instance) -> Bool {
    unmanaged.toOpaque() == Unmanaged.passUnretained(instance).toOpaque()
  }
}

extension Array where Element: AnyObject {
  /// Returns the array as an array of a subclass, in O(1). A checked cast would ask each element.
  ///
  /// - Precondition: every element is a `Subclass`, which is a class below `Element`.
  @inlinable
  package func unchecked<Subclass: AnyObject>(of _: Subclass.Type) -> [Subclass] {
    // Safety: the precondition. All arrays of instances have one layout.
    unsafeBitCast(self, to: [Subclass].self)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A type whose stated invariants run: the list `## Invariants` in its head as code.
///
/// The file `Type+Invariants.swift` has the checks, each with the invariant's sentence. The end of
/// every mutation calls `checkInvariants()`, which is empty unless the package is built with
/// `STRATA_CHECKS=1`, as the model and fuzz runs are.
package protocol CheckedInvariants {
  /// The sentence of the first invariant that does not hold; nil if all hold.
  ///
  /// - Complexity: O(size of the value).
  var brokenInvariant: String? { get }
}

extension CheckedInvariants {
  /// Stops the program if an invariant does not hold, in builds with checks.
  @inlinable @inline(__always)
  package func checkInvariants() {
    #if STRATA_CHECKS
      requireInvariants()
    #endif
  }

  /// Stops the program with the sentence of an invariant that does not hold, in every build.
  package func requireInvariants() { Self.requireNone(brokenInvariant) }

  /// Stops the program with `sentence`, in every build; does nothing if it is nil.
  package static func requireNone(_ sentence: String?) {
    if let sentence { stopProgram("\(Self.self) breaks an invariant: \(sentence)") }
  }
}

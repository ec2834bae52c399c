// SPDX-License-Identifier: Apache-2.0
import Strata

// The two reasons for which most saves of tests are refused, for `#expect { } throws: { }`. Any
// other error of a store would be a failure of the test.

extension Error {
  /// Whether another save has changed the objects of a save since they were read.
  package var isConflict: Bool {
    if case StoreError.conflicts = self as any Error { true } else { false }
  }

  /// Whether two objects would have one unique value after a save.
  package var isUniquenessViolation: Bool {
    if case StoreError.uniquenessViolations = self as any Error { true } else { false }
  }
}

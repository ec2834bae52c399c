// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

// The state beneath a context's own changes, over which a merge lays them.

extension ReadView {
  /// The base of a change of the object, the context's own changes left out; nil if the object is
  /// deleted or does not exist.
  package func inheritedBase(of key: ObjectKey) throws -> Base? {
    for segment in inherited {
      if let change = segment.change(for: key) { return change.read }
    }
    return try snapshot.record(for: key).map { Base($0) }
  }

  /// The base of the ancestor's pending update that shows the object; nil if an insertion does, or
  /// the store. O(ancestors' segments).
  package func baseOfInheritedUpdate(of key: ObjectKey) -> Base? {
    for segment in inherited {
      if let change = segment.change(for: key) { return change.base }
    }
    return nil
  }
}

// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

// What lies below a context's own changes: what a merge brings them onto.

extension ReadView {
  /// What a change of the object would be made from, the context's own changes left out; nil if the
  /// object is deleted or not there.
  package func inheritedBase(of key: ObjectKey) throws -> Base? {
    for segment in inherited {
      if let change = segment.change(for: key) { return change.read }
    }
    return try snapshot.record(for: key).map { Base($0) }
  }

  /// The base of the ancestor's pending update that shows the object; nil if an insertion does, or the
  /// store. O(ancestors' segments).
  package func baseOfInheritedUpdate(of key: ObjectKey) -> Base? {
    for segment in inherited {
      if let change = segment.change(for: key) { return change.base }
    }
    return nil
  }
}

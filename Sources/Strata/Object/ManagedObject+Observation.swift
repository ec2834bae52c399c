// SPDX-License-Identifier: Apache-2.0
public import Observation
import StrataRecord

// Observation of objects by `withObservationTracking` and SwiftUI: attributes, to-one and to-many
// relationships, and changes of any origin, in a context with `tracksObservation`.

extension ManagedObject: Observable {}

extension ManagedObject {
  /// Notes for Observation that the property at `slot` is read. Called by all getters.
  @usableFromInline
  final func noteAccess(_ slot: Int) {
    if let observed = binding.observed { observed.access(self, slot) }
  }

  /// Notifies observers that all values are about to be those of `record`, by another cause than an
  /// assignment: of the properties that differ. Call it before the object's record is replaced.
  ///
  /// - Parameter record: nil if the values are still unknown, or if the object is deleted.
  final func recordWillChange(to record: Record?) {
    guard binding.observed != nil, let context = binding.context else { return }
    context.registry.recordWillChange(of: key, from: self.record, to: record)
  }
}

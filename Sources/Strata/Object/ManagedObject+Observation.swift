// SPDX-License-Identifier: Apache-2.0
public import Observation
import StrataRecord

// What `withObservationTracking` and SwiftUI see of objects: attributes, to-one and to-many
// relationships, changed by whomever, in a context with `tracksObservation`.

extension ManagedObject: Observable {}

extension ManagedObject {
  /// Notes for Observation that the property at `slot` is read. Called by all getters.
  @usableFromInline
  final func noteAccess(_ slot: Int) {
    if let observed = home.observed { observed.access(self, slot) }
  }

  /// Tells observers that all values are about to be those of `record`, by somebody else than an
  /// assignment: the properties that differ. To be called before the object's record is replaced.
  ///
  /// - Parameter record: nil if the values are unknown as yet, or if the object goes.
  final func recordWillChange(to record: Record?) {
    guard home.observed != nil, let context = home.context else { return }
    context.registry.recordWillChange(of: key, from: self.record, to: record)
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// A change of an object's record concerns observers of its properties, and observers of to-many
// relationships that its to-one slots make. Nothing here runs before a property is read in a
// context that tracks observation.

extension ManagedObjectContext {
  /// Whether reading a property of this context's objects is noted for Swift's Observation, so that
  /// `withObservationTracking` and SwiftUI are notified of its next change: by assignment, by a
  /// relationship's other end, by undo, refresh, merge and rollback, and by children's saves. True
  /// for `container.viewContext`, false for others, where Observation costs nothing.
  ///
  /// A relationship counts as read when its members are, or `count` or `contains`. A merge may
  /// notify observers of a to-many relationship whose members are as before: the former owners of a
  /// member that is not loaded here are not known.
  ///
  /// - Important: An observer must hold the objects that it observes; an object that the program
  ///   does not hold may be released, and with it its observation.
  public var tracksObservation: Bool {
    get { registry.observed != nil }
    set { registry.setTracksObservation(newValue) }
  }
}

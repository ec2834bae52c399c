// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Who is told of what: a change of an object's record concerns those who observe its properties, and
// those who observe to-many relationships that its to-one slots make. Nothing here is done while
// nobody has read a property in a context that tracks observation.

extension ManagedObjectContext {
  /// Whether reading a property of this context's objects is noted for Swift's Observation, so that
  /// `withObservationTracking` and SwiftUI learn of its next change: by assignment, by a relationship's
  /// other end, by undo, refresh, merge and rollback, and by children's saves. True for
  /// `container.viewContext`, false for others, where Observation costs nothing.
  ///
  /// A relationship counts as read when its members are, or `count` or `contains`.
  ///
  /// - Important: an observer keeps the objects that it observes; one that nobody holds may go, and
  ///   with it what was noted.
  public var tracksObservation: Bool {
    get { registry.observed != nil }
    set { registry.setTracksObservation(newValue) }
  }
}

// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// The moments between which other threads may act, by name: where a test can hold one thread and
/// let another run. In release builds reaching one is nothing at all.
package enum PausePoint: String, Sendable, CaseIterable {
  /// A reader has compared the revisions of its chain with those of its copy.
  case revisionsCompared
  /// A reader has the chain of layers: its copy, or a new one.
  case viewTaken
  /// A reader has taken the store's snapshot.
  case snapshotTaken
  /// A saver has handed its changes to the writer.
  case sent
  /// The writer has tagged the segments that it will commit; it holds the store's write lock.
  case tagged
  /// The saver has the result of its durable commit, and the layers have not yet.
  case committed
  /// The saver has the result of a refused or failed save; all changes are still unsaved.
  case refused
  /// The layers have released the changes that the store now has.
  case published
  /// A child's save has been handed to the parent's layer.
  case pushed
  /// A section of an actor's code has ended, and its work is not published.
  case sectionEnded
  /// A context has published its turn.
  case turnEnded
  /// Between two holds of the layer lock where there must be one: only with
  /// `PlantedFault.lockPerLayer`.
  case betweenHolds

  #if DEBUG
    package typealias Observer = @Sendable (PausePoint) -> Void

    private static let observers = BySchema<Observer>()

    /// Calls `observer` whenever a thread reaches a pause point in dealing with the store that
    /// `schema` is of; nil ends it. Other stores in the process are not held up.
    package static func observe(_ schema: Schema, _ observer: Observer?) {
      observers.set(observer, for: schema)
    }

    package func reach(_ schema: @autoclosure () -> Schema) {
      Self.observers.value(for: schema())?(self)
    }
  #else
    @inlinable package func reach(_: @autoclosure () -> Schema) {}
  #endif
}

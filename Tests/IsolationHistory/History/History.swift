// SPDX-License-Identifier: Apache-2.0

/// The recorded work of several contexts, threads and processes on one store, in any order.
///
/// A history knows nothing of Strata: it has reads and writes of registers, and times. So a history
/// can be written by hand, and `HistoryChecker` can be tested without a store.
///
/// ## Invariants
/// - I1 Each written version is unique in its history, and greater than 0, which is the version of
///   every register at first. A version that a save carries from one level to the next keeps its
///   number.
/// - I2 All times come from one clock.
package struct History: Codable, Sendable {
  package var units: [UnitOfWork]

  package init(_ units: [UnitOfWork] = []) { self.units = units }
}

/// One property of one object, as one level of contexts shows it.
///
/// A child's save brings a version to its parent's level, and only the parent's save brings it to
/// the next level. The same property is therefore a register of its own at each level.
package struct Register: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
  /// `store`, or the name of a context that has children.
  package let level: String
  package let name: String

  package init(_ name: String, at level: String = "store") {
    self.level = level
    self.name = name
  }

  package var description: String { "\(level):\(name)" }

  package static func < (left: Register, right: Register) -> Bool {
    (left.level, left.name) < (right.level, right.name)
  }
}

/// The number of a write.
package typealias Version = Int

/// A read or a write of a register.
package enum Operation: Codable, Sendable {
  /// - Parameters:
  ///   - former: the version over which the read one was written, as the store has it beside the
  ///     read one; nil if it is unknown.
  ///   - isGuarded: whether the save checks that the object has not changed since it was read, as
  ///     `detectConflicts(for:)` asks it to.
  case read(Register, Version, former: Version? = nil, isGuarded: Bool = false)
  /// - Parameter former: the version that the writer had read; nil if the writer had read none, as
  ///   in a batch.
  case write(Register, Version, over: Version?)
}

/// One turn of a context, or several turns with one save at the end.
package struct UnitOfWork: Codable, Sendable {
  /// The end of a unit.
  package enum Outcome: String, Codable, Sendable {
    /// The save has returned, or the unit had nothing to save.
    case committed
    /// The save has failed, or the changes were taken back without one.
    case abandoned
  }

  package let name: String
  /// Before the first operation, and after the save has returned; in nanoseconds.
  package let start: UInt64
  package let end: UInt64
  package let turns: [[Operation]]
  package let outcome: Outcome
  /// Whether the save fails if a version that it replaces was not the one that was read.
  package let checksVersions: Bool

  package init(
    _ name: String, from start: UInt64, to end: UInt64, _ turns: [[Operation]],
    _ outcome: Outcome = .committed, checksVersions: Bool = true
  ) {
    (self.name, self.start, self.end) = (name, start, end)
    (self.turns, self.outcome, self.checksVersions) = (turns, outcome, checksVersions)
  }
}

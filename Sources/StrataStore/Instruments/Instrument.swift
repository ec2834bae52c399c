// SPDX-License-Identifier: Apache-2.0

/// Observes the work with one store, or with several that are used as one: for the metrics, traces
/// and logs of the program.
///
/// Strata itself knows no system for metrics or traces. A store gets its instrument when it is
/// opened (`Instruments`), and it has none unless the program has asked for it. Without one, each
/// place that an instrument would observe pays for one comparison with nil.
///
/// An instrument is told of operations, counts and names of the model. No value of an object
/// reaches it, except inside an error, whose texts have none (`ExplainedError`).
///
/// ## Isolation
/// Sendable.
package protocol Instrument: Sendable {
  /// Notes an event that has happened.
  ///
  /// - Important: Called on any thread, also on the store's writer. It returns at once, and runs no
  ///   code of the program: that is for `Deliveries`.
  func note(_ event: InstrumentEvent)

  /// Begins an operation of a context.
  ///
  /// Called in the isolation of the context, and within no lock of Strata, so it may run code of
  /// the program. The same is true of the returned object's functions.
  func begin(_ operation: ObservedOperation) -> any OperationInProgress
}

/// An operation of a context that an instrument has begun to observe.
///
/// ## Isolation
/// Sendable: a save begins in one turn and ends in another, perhaps on another thread.
package protocol OperationInProgress: Sendable {
  /// Runs a part of the operation. Operations that begin within are parts of this one.
  func within<Result>(_ body: () throws -> Result) rethrows -> Result

  /// Ends the operation. Called once.
  func end(_ outcome: OperationOutcome)
}

/// An operation of a context, which takes time.
package enum ObservedOperation: Sendable, Hashable {
  /// A save of unsaved changes: to the store, or to a parent context in memory.
  case save(isToStore: Bool)
  /// A fetch of objects of an entity.
  case fetch(FetchKind, entity: String)

  /// The result of a fetch.
  package enum FetchKind: String, Sendable, Hashable {
    case objects, ids, count, rows
  }
}

/// The end of an operation.
package struct OperationOutcome {
  /// Nil if the operation has succeeded.
  package var error: (any Error)?
  /// The number of objects, IDs or rows that a fetch has returned; for a count, the count. Nil for
  /// a save.
  package var rowCount: Int?
  /// Makes the description of the plan of a fetch, which has no values of the request.
  package var plan: (() -> String)?

  package init(error: (any Error)? = nil) { self.error = error }
}

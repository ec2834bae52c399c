// SPDX-License-Identifier: Apache-2.0

/// The objects that a batch inserts and updates, in parts: each part is planned, checked and
/// written as a save is, and released before the next one is made.
package struct BatchWriting: Sendable {
  package let parts: any BatchParts
  /// Whether a part may change an object that exists. Then a value that must be unique may be freed
  /// by a later part, and unique values are checked at the end.
  package let changesObjects: Bool

  package init(_ parts: any BatchParts, changesObjects: Bool) {
    self.parts = parts
    self.changesObjects = changesObjects
  }
}

/// Makes the parts of a batch.
///
/// ## Isolation
/// The caller's until the batch is handed to the store, the store's writer's until the batch is
/// completed, then the caller's again.
package protocol BatchParts: AnyObject, Sendable {
  /// The next part; nil if there is no other. A part that changes nothing may be empty.
  func next(_ states: BatchStates) throws -> Segment?

  /// Throws if the result of all parts is invalid.
  ///
  /// - Parameter view: the state after the last part.
  func finish(in view: ReadView) throws

  /// All parts are committed, as durably as the store promises.
  func didCommit()
}

/// The states of the store between which a part is made, and the way to new objects.
package struct BatchStates {
  /// The state before the batch. It is valid until the batch is completed.
  package let before: ReadView
  /// The state after the parts so far. It is valid until the part is returned.
  package let current: ReadView
  /// Reserves serials for new objects.
  package let takeSerials: (Int) throws -> Range<UInt64>

  package init(
    before: ReadView, current: ReadView, takeSerials: @escaping (Int) throws -> Range<UInt64>
  ) {
    self.before = before
    self.current = current
    self.takeSerials = takeSerials
  }
}

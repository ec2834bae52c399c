// SPDX-License-Identifier: Apache-2.0
import StrataModel

// Validating before a save, and as part of it.

extension ManagedObjectContext {
  /// The failures that a save would report now, with the objects' present states: all failures of
  /// all unsaved objects, by object. Empty if there are none. `willSave` is not called, and may yet
  /// resolve or cause failures; checks of the store are not included.
  ///
  /// O(unsaved changes); a counted relationship is counted without its members being loaded.
  ///
  /// - Throws: `StoreError` if reading fails, and any error of reading a property since the last
  ///   call.
  public func validationFailures() throws -> [ValidationFailure] {
    try reporter.throwDeferredError()
    work.encodeEdits()
    if schema.validation.isEmpty, work.obstacles.refused.isEmpty { return [] }
    var validation = Validation()
    return try validation.validateChanges(of: saving)
  }
}

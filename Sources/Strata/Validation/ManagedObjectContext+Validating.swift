// SPDX-License-Identifier: Apache-2.0
import StrataModel

// Asking before a save what a save would refuse, and the save's own asking.

extension ManagedObjectContext {
  /// What a save would refuse now, with the objects as they are: all failures of all unsaved objects,
  /// by object. Empty if there are none. `willSave` is not called for it, and may yet mend or break
  /// something; what the store alone decides is not in it.
  ///
  /// O(unsaved changes); a counted relationship is counted without its members being loaded.
  ///
  /// - Throws: `StoreError` if reading fails, and any error that reading a property met since the last
  ///   call.
  public func validationFailures() throws -> [ValidationFailure] {
    try reporter.throwDeferredError()
    if schema.validation.isEmpty { return [] }
    var validation = Validation()
    return try validation.look(at: saving)
  }
}

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
    try throwDeferredError()
    if schema.validation.isEmpty { return [] }
    var validation = Validation()
    return try validation.look(at: self)
  }

  /// Looks at what is unsaved and has not been looked at for this save.
  ///
  /// - Throws: `ContextError.validationFailed`, and what reading throws.
  func validate() throws {
    guard !isValidated, var validation = preparation?.validation else { return }
    let wasTelling = preparation?.isTelling ?? false
    preparation?.isTelling = true
    defer { preparation?.isTelling = wasTelling }
    let failures = try validation.look(at: self)
    guard failures.isEmpty else { throw ContextError.validationFailed(failures) }
    preparation?.validation = validation
  }

  /// Whether a save is being prepared that reaches the store: it alone derives attributes.
  var isDeriving: Bool { preparation != nil && layer.parent == nil }

  /// Whether everything unsaved has been looked at for this save.
  var isValidated: Bool {
    schema.validation.isEmpty || preparation?.validation.hasSeen(working) == true
  }
}

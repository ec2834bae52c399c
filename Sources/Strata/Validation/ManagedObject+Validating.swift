// SPDX-License-Identifier: Apache-2.0
import StrataModel

extension ManagedObject {
  /// The failures that a save of this object would report in its present state, whether or not it
  /// has changed: the rules that it breaks, and the error of `validateForInsert`,
  /// `validateForUpdate` or, if it is deleted, `validateForDelete`. Empty if there are none, and
  /// for an object that is gone. Core Data: calling `validateForUpdate()`.
  ///
  /// Loads a fault. Members of counted relationships are counted, not loaded.
  ///
  /// - Throws: `StoreError` if reading fails.
  public final func validationFailures() throws -> [ValidationFailure] {
    guard let context = context(for: .validation), isAlive else { return [] }
    context.work.encodeEdits()
    if isFault { try context.loader.load(self) }
    guard isAlive else { return [] }
    return try Validation.validate(self, in: context.saving)
  }

  /// The rules that one property breaks as it is: for a form that says so beside its field. Hooks
  /// are not called. Core Data: `validateValue(_:forKey:)`, which is asked before the value is set.
  ///
  /// - Parameter name: of the property. Of one that the entity does not have, there are no
  ///   failures.
  /// - Throws: `StoreError` if reading fails.
  public final func validationFailures(ofPropertyNamed name: String) throws -> [ValidationFailure] {
    guard let context = context(for: .validation), isPresent,
      let slot = binding.entity.description.slot(named: name)
    else { return [] }
    context.work.encodeEdits()
    if isFault { try context.loader.load(self) }
    return try Validation.validateProperty(at: slot, of: self, in: context.saving)
  }

  /// The failures of the property that a key path names: `try city.validationFailures(of:
  /// \City.name)`.
  public final func validationFailures(of property: AnyKeyPath) throws -> [ValidationFailure] {
    guard let slot = binding.entity.description.slot(for: property) else { return [] }
    return try validationFailures(
      ofPropertyNamed: binding.entity.description.properties[slot].name)
  }
}

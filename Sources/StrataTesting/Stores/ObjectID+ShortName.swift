// SPDX-License-Identifier: Apache-2.0
public import StrataModel

extension ObjectID {
  /// The entity and the serial, as in `City/5`: short, and the same each time that a test does the
  /// same work. "object" stands for an entity that is unknown (`entityName`).
  ///
  /// It identifies an object within one store alone. Differences of `expectChanges` and dumps
  /// (`strata dump`) name objects by it.
  public var shortName: String { "\(entityName ?? "object")/\(key.serial)" }
}

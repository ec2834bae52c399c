// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel

extension RecordKey {
  /// The key of an object's record in the tree of its entity: its serial.
  init(_ key: ObjectKey) { self.init(key.serial) }

  /// Whether `serial` is so little above `former` that the entries of the two may well be
  /// neighbours: an entity's objects are made in rows, or by turns with a few others.
  static func isNear(_ serial: UInt64, above former: UInt64) -> Bool {
    serial > former && serial - former <= 8
  }
}

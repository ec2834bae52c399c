// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The edits of a context that are not among its unsaved changes. A save fails until they are
/// settled.
struct SaveObstacles {
  /// The values that objects were given and that cannot be stored, by slot, as of the last
  /// encoding. The properties keep their former values until they are set again.
  var refused: [ObjectKey: [Int: ValueRefusal]] = [:]
  /// The edits that children's saves have replaced.
  var overtaken = OvertakenEdits()

  mutating func forget(_ key: ObjectKey) {
    if !refused.isEmpty { refused[key] = nil }
    overtaken.forget(key)
  }
}

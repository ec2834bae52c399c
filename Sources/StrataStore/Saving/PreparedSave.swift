// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

/// A change set in the order in which it will be written: made by the saver, so that the writer
/// thread does not sort.
struct PreparedSave: Sendable {
  /// Where the change of one object is.
  struct Place: Sendable {
    let key: ObjectKey
    let index: ChangeTable.Index
  }

  let changeSet: ChangeSet
  /// Ascending by key.
  let order: [Place]

  init(_ changeSet: ChangeSet) {
    self.changeSet = changeSet
    let changes = changeSet.changes
    var order: [Place] = []
    order.reserveCapacity(changes.count)
    for index in changes.indices { order.append(Place(key: changes.keys[index], index: index)) }
    order.sort { $0.key.rawValue < $1.key.rawValue }
    self.order = order
  }
}

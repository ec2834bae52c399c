// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// What changed in a context since its last objectsDidChange: one notification a turn tells it.
/// Keys may stand in a list more than once; whoever reads the notification gets sets.
struct TurnChanges {
  var inserted: [ObjectKey] = []
  var updated: [ObjectKey] = []
  var deleted: [ObjectKey] = []
  var refreshed: [ObjectKey] = []

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
  }
}

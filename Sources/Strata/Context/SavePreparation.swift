// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The preparation of a context's unsaved changes for a save.
///
/// ```
///  end of turn ─► willSave of objects ─► willSave notification ─► checks ─► hand over or commit
///                 ▲      │ changed                │ changed        │ a child's save came in
///                 └──────┴────────────────────────┴────────────────┘
///
///  checks: delete rules that deny, rules and hooks of validation
/// ```
///
/// ## Isolation
/// The context's.
struct SavePreparation {
  /// An object's change at its last `willSave`.
  var willSaveCalls: [ObjectKey: (kind: Change.Kind, record: Record?, count: Int)] = [:]
  /// Whether the willSave notification is out: once for a save.
  var isAnnounced = false
  /// Whether a callback is running: hooks of objects, or observers. Saving is refused during that
  /// time.
  var isInCallback = false
  /// The changes that were validated.
  var validation = Validation()

  /// Whether the object's change is new since its last `willSave`.
  func needsWillSave(_ key: ObjectKey, _ change: Change) -> Bool {
    guard let last = willSaveCalls[key] else { return true }
    return last.kind != change.kind || last.record != change.record
  }
}

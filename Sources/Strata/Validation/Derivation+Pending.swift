// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension Derivation {
  /// The records of objects as a save would derive them from what a context sees, for validation. They
  /// are set nowhere: the store derives when it has decided what the save comes to.
  ///
  /// - Parameters:
  ///   - working: all that is unsaved in the context.
  ///   - view: what the context sees, its unsaved changes included.
  /// - Returns: those that differ from what `view` has.
  static func records(
    deriving working: Overlay, in view: ReadView
  ) throws -> [ObjectKey: Record] {
    var derivation = Derivation(view.schema)
    var memberships = MembershipChanges(view.schema.derivation.memberships, in: view)
    for (depth, segment) in working.segments.enumerated() {
      for (key, change) in segment.changes where !working.isShadowed(key, above: depth) {
        guard change.isAnything else { continue }
        try memberships.add(key, change)
        switch change.kind {
        case .insert: try derivation.want(ofNew: key, in: view)
        case .update: try derivation.want(changing: change.slots, of: key, in: view)
        case .delete: try derivation.want(ofDeleted: key, in: view)
        }
      }
      memberships.add(segment.links)
    }
    for place in memberships.places { derivation.wantAggregates(over: place) }
    var records: [ObjectKey: Record] = [:]
    var arena = RecordArena()
    for key in derivation.wanted.keys {
      guard case .record(let stored) = try view.find(key) else { continue }
      records[key] = try derivation.record(of: key, stored.record, in: view, into: &arena)
    }
    return records
  }
}

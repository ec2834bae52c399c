// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

extension Overlay: CheckedInvariants {
  package var brokenInvariant: String? {
    let unfrozen = segments.prefix { !$0.isFrozen }
    if !segments[unfrozen.endIndex...].allSatisfy(\.isFrozen) {
      return "I1 Frozen segments are the oldest."
    }
    var newest: [ObjectKey: Change] = [:]
    for segment in unfrozen {
      for (key, change) in segment.changes {
        guard let newer = newest[key] else {
          newest[key] = change
          continue
        }
        if !newer.hasEverything(of: change) {
          return """
            I2 Among the segments that are not frozen, the first change of an object has \
            everything that these have pending for it.
            """
        }
      }
    }
    var merged: Set<ObjectIdentifier> = []
    let areNeighbours = merges.allSatisfy { merge in
      let start = segments.firstIndex { $0 === merge.segments[0] } ?? 0
      return segments[start...].prefix(merge.segments.count).elementsEqual(merge.segments, by: ===)
        && merge.segments.allSatisfy { merged.insert(ObjectIdentifier($0)).inserted }
    }
    if !areNeighbours {
      return "I3 Each merge under way is of neighbouring segments, and no segment is in two."
    }
    return nil
  }
}

extension Change {
  /// Whether a push or a save of this change alone carries every slot that `older` beneath it has
  /// set.
  fileprivate func hasEverything(of older: Change) -> Bool {
    switch (kind, older.kind) {
    case (.update, .update): older.slots.isSubset(of: slots)
    // An insertion that came and went is pending no more: on top, the store's object is updated.
    case (.update, .insert): base.map { $0.generation > 0 } ?? false
    case (.update, .delete), (.insert, _), (.delete, _): true
    }
  }
}

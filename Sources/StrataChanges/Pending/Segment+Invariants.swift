// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

extension Segment: CheckedInvariants {
  package var brokenInvariant: String? {
    let areWhole = changes.allSatisfy { _, change in
      switch change.kind {
      case .insert: change.record != nil && change.base == nil
      case .update: change.record != nil && change.base != nil
      case .delete: change.record == nil
      }
    }
    if !areWhole {
      return """
        I1 A deletion has no record and every other change has one; an update has a base, an \
        insertion none.
        """
    }
    let areComplete = madeRuns.indexes.allSatisfy { number in
      let run = madeRuns.run(of: number) ?? IndexRun()
      let objects = Set(run.entries.map(\.object))
      if isOfWords(number) { return objects.isSubset(of: objectsCovered(by: number)) }
      return objects.count == run.entries.count && objects == objectsCovered(by: number)
    }
    if !areComplete { return "I2 A run has an entry for each record here that its index covers." }
    return nil
  }

  /// The sentence of an invariant that giving this segment a tag breaks.
  package func invariantBroken(byTag tag: UInt64) -> String? {
    ownTag ?? tag == tag ? nil : "I3 A segment with a tag gets no other."
  }

  private func isOfWords(_ number: PropertyNumber) -> Bool {
    schema.entities.contains { $0.indexes.contains { $0.number == number && $0.isOfWords } }
  }

  private func objectsCovered(by index: PropertyNumber) -> Set<ObjectKey> {
    var objects: Set<ObjectKey> = []
    for span in changes.spans {
      guard schema.entity(span.entity)?.indexes.contains(where: { $0.number == index }) ?? false
      else { continue }
      for place in span.range where changes.values[place].record != nil {
        objects.insert(changes.keys[place])
      }
    }
    return objects
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
package import StrataRecord

// The index runs of a segment. Each is made at its first use.

extension Segment {
  /// The run of one index; nil if it covers no record here. O(1) if it was made before, else
  /// O(changes × log changes).
  package func run(of index: PropertyNumber) -> IndexRun? {
    if let made = madeRuns.run(of: index) { return made }
    guard let run = makeRuns(where: { $0 == index })[index] else { return nil }
    defer { checkInvariants() }
    return madeRuns.keep(run, of: index)
  }

  /// All runs, by the number of the indexed property. They are made if they were not.
  package var runs: [PropertyNumber: IndexRun] {
    prepareRuns()
    return madeRuns.indexes.reduce(into: [:]) { $0[$1] = madeRuns.run(of: $1) }
  }

  /// Makes all runs that were not made yet.
  package func prepareRuns() {
    for (index, run) in makeRuns(where: { madeRuns.run(of: $0) == nil }) {
      madeRuns.keep(run, of: index)
    }
    checkInvariants()
  }

  /// Makes runs, all in one pass over the records.
  private func makeRuns(
    where isWanted: (PropertyNumber) -> Bool
  ) -> [PropertyNumber: IndexRun] {
    var builders: [PropertyNumber: IndexRunBuilder] = [:]
    for span in changes.spans {
      guard let entity = schema.entity(span.entity) else { continue }
      var own: [IndexRunBuilder] = []
      for index in entity.indexes where isWanted(index.number) {
        var builder =
          builders.removeValue(forKey: index.number)
          ?? IndexRunBuilder(index, entity.layout, expecting: span.range.count)
        builder.goOn(to: index, entity.layout)
        own.append(builder)
      }
      if own.isEmpty { continue }
      own.withUnsafeMutableBufferPointer { own in
        for place in span.range {
          guard let record = changes.values[place].record else { continue }
          let key = changes.keys[place]
          for position in own.indices { own[position].append(key, record.start) }
          withExtendedLifetime(record) {}
        }
      }
      for builder in own { builders[builder.number] = builder }
    }
    return builders.mapValues { $0.finished() }
  }
}

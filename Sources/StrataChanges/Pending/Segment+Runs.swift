// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
package import StrataRecord

// The index runs of a segment. A saver makes all at once; otherwise each is made at its first use.

/// The runs of one segment that were made so far.
///
/// ## Isolation
/// Sendable. No lock is held while a run is made: two threads that ask at once may both make it.
package final class RunSet: Sendable {
  /// All runs of a segment.
  final class Complete: Sendable {
    let runs: [PropertyNumber: IndexRun]

    init(_ runs: [PropertyNumber: IndexRun]) { self.runs = runs }
  }

  let complete = SetOnce<Complete>()
  let some: CountedMutex<[PropertyNumber: IndexRun]>

  package init(_ runs: [PropertyNumber: IndexRun] = [:]) { some = CountedMutex(runs) }

  /// The runs of a segment that is laid over this one's: those that are made here.
  ///
  /// - Parameters:
  ///   - merge: gives the run of both, for one that is made here.
  ///   - newer: the segment that is laid over; its runs are all made if these are.
  func merging(
    by merge: (PropertyNumber, IndexRun) -> IndexRun, completeWith newer: Segment
  ) -> RunSet {
    guard let complete = complete.load() else {
      let made = some.withLock { $0 }
      return RunSet(made.reduce(into: [:]) { $0[$1.key] = merge($1.key, $1.value) })
    }
    newer.prepareRuns()
    var all: [PropertyNumber: IndexRun] = complete.runs.reduce(into: [:]) {
      $0[$1.key] = merge($1.key, $1.value)
    }
    all.merge(newer.runs) { merged, _ in merged }
    let merged = RunSet()
    _ = merged.complete.storeIfNil(Complete(all))
    return merged
  }
}

extension Segment {
  /// The run of one index; nil if it covers no record here. O(1) if it was made before, else
  /// O(changes × log changes).
  package func run(of index: PropertyNumber) -> IndexRun? {
    if let complete = runSet.complete.load() { return complete.runs[index] }
    if let made = runSet.some.withLock({ $0[index] }) { return made }
    guard let run = makeRuns(where: { $0 == index })[index] else { return nil }
    runSet.some.withLock { $0[index] = run }
    checkInvariants()
    return run
  }

  /// All runs, by the number of the indexed property. They are made if they were not.
  package var runs: [PropertyNumber: IndexRun] {
    prepareRuns()
    return runSet.complete.load()?.runs ?? [:]
  }

  /// Makes all runs that were not made yet. Called before the segment is shown to other contexts,
  /// under no lock.
  package func prepareRuns() {
    if runSet.complete.load() != nil { return }
    let some = runSet.some.withLock { $0 }
    let all = makeRuns { some[$0] == nil }.merging(some) { made, _ in made }
    _ = runSet.complete.storeIfNil(RunSet.Complete(all))
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

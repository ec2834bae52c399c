// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import StrataRecord

/// The index runs of one segment that were made so far: a list that only grows, read without a
/// lock. There are few indexes.
///
/// ## Isolation
/// Sendable. Two threads that ask for a run at once may both make it; the first one is kept.
struct MadeRuns: ~Copyable, Sendable {
  private final class Entry: Sendable {
    let index: PropertyNumber
    let run: IndexRun
    let next = SetOnce<Entry>()

    init(_ index: PropertyNumber, _ run: IndexRun) {
      self.index = index
      self.run = run
    }
  }

  private let first = SetOnce<Entry>()

  /// The run of an index, if it was made.
  func run(of index: PropertyNumber) -> IndexRun? {
    var next = first.load()
    while let entry = next {
      if entry.index == index { return entry.run }
      next = entry.next.load()
    }
    return nil
  }

  /// Keeps `run`, unless the run of the index is there.
  ///
  /// - Returns: the run that is kept.
  @discardableResult
  func keep(_ run: IndexRun, of index: PropertyNumber) -> IndexRun {
    let entry = Entry(index, run)
    var present = first.storeIfNil(entry)
    while present !== entry, present.index != index { present = present.next.storeIfNil(entry) }
    return present.run
  }

  /// The indexes whose runs were made, in the order of making.
  var indexes: [PropertyNumber] {
    var indexes: [PropertyNumber] = []
    var next = first.load()
    while let entry = next {
      indexes.append(entry.index)
      next = entry.next.load()
    }
    return indexes
  }

  /// How many entries they have.
  var entryCount: Int {
    var count = 0
    var next = first.load()
    while let entry = next {
      count += entry.run.entries.count
      next = entry.next.load()
    }
    return count
  }
}

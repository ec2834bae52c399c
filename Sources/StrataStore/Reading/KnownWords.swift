// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataPrimitives
import StrataRecord

/// The statistics of the indexes of words in the state of the store that they were last asked for.
///
/// ## Lifetime
/// One generation of each index. They go with the trees, when the store is closed or evolves.
///
/// ## Isolation
/// Sendable: a lock guards them. It is not held while words are counted.
final class KnownWords: Sendable {
  /// A lock of the dictionary itself would have the first opening in a process look for the
  /// conformance of its keys, for a tenth of the opening's instructions.
  private struct Known {
    var byIndex: [PropertyNumber: (generation: UInt64, statistics: WordStatistics)] = [:]
  }

  private let known = CountedMutex(Known())

  func statistics(of index: PropertyNumber, in generation: UInt64) -> WordStatistics? {
    known.withLock { known in
      guard let found = known.byIndex[index], found.generation == generation else { return nil }
      return found.statistics
    }
  }

  /// Keeps statistics, unless later ones are known.
  func keep(_ statistics: WordStatistics, of index: PropertyNumber, in generation: UInt64) {
    known.withLock { known in
      if let later = known.byIndex[index], later.generation > generation { return }
      known.byIndex[index] = (generation, statistics)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataPrimitives
package import StrataRecord

/// The statistics of the indexes of words in the state of the store that they were last asked for.
///
/// ## Lifetime
/// One generation of each index. They go with the trees, when the store is closed or evolves.
///
/// ## Isolation
/// Sendable: a lock guards them. It is not held while words are counted.
final class KnownWords: Sendable {
  private let known = CountedMutex<[PropertyNumber: (generation: UInt64, WordStatistics)]>([:])

  func statistics(of index: PropertyNumber, in generation: UInt64) -> WordStatistics? {
    known.withLock { known in
      guard let (known, statistics) = known[index], known == generation else { return nil }
      return statistics
    }
  }

  /// Keeps statistics, unless later ones are known.
  func keep(_ statistics: WordStatistics, of index: PropertyNumber, in generation: UInt64) {
    known.withLock { known in
      if let (later, _) = known[index], later > generation { return }
      known[index] = (generation, statistics)
    }
  }
}

extension StoreView {
  package func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    // The state that a writer sees has no generation of its own before it is saved.
    guard reader.pool != nil else { return try countWords(of: index) }
    if let known = trees.knownWords.statistics(of: index, in: generation) { return known }
    let statistics = try countWords(of: index)
    trees.knownWords.keep(statistics, of: index, in: generation)
    return statistics
  }
}

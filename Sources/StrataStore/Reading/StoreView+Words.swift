// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataRecord

extension StoreView {
  /// Counted once in a generation: later views of it find them in `KnownWords`.
  package func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    // The state that a writer sees has no generation of its own before it is saved.
    guard reader.pool != nil else { return try countWords(of: index) }
    if let known = trees.knownWords.statistics(of: index, in: generation) { return known }
    let statistics = try countWords(of: index)
    trees.knownWords.keep(statistics, of: index, in: generation)
    return statistics
  }
}

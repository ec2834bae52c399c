// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension ObjectRegistry {
  /// Stops the program with the sentence of an invariant of the cache that does not hold, in every
  /// build.
  package func requireCacheInvariants() { cache.requireInvariants() }
}

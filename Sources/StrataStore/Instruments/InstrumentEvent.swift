// SPDX-License-Identifier: Apache-2.0

/// Something that has happened in a store, or in a context above it, at one moment.
package enum InstrumentEvent: Sendable {
  /// The store has written a save or a batch, or refused it.
  case commit(ObservedCommit)
  /// A turn of a context, or a part of it, has needed objects: `hitCount` times the context had
  /// them in memory, `missCount` times it read them beneath.
  case objectReads(hitCount: Int, missCount: Int)
}

/// A save or a batch that was handed to the store's writer.
package struct ObservedCommit: Sendable {
  package enum Kind: String, Sendable, Hashable {
    case save, batch
  }

  package let kind: Kind
  /// The time from the hand-over until the save was durable or refused, with the wait for others'
  /// commits.
  package let duration: Duration
  package let isRefused: Bool
  /// The number of objects in whose conflicts the save was refused.
  package let conflictCount: Int
  /// The number of objects that the merge policy has decided on.
  package let mergedCount: Int
  /// The store's gauges behind the commit; nil if the store is closed.
  package let gauges: StoreGauges?
}

/// The measures of a store that go up and down.
package struct StoreGauges: Sendable, Hashable {
  /// The size of the file.
  package let byteCount: Int
  /// Nil if no state is being read that is not the newest.
  package let oldestReader: StoredReader?
}

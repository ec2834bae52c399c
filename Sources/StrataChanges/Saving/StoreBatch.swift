// SPDX-License-Identifier: Apache-2.0

/// A batch for a store: it changes objects in place, without a context, in a transaction of its
/// own.
package struct StoreBatch: Sendable {
  package enum Work: Sendable {
    case delete(BatchDeletion)
    case write(BatchWriting)
  }

  package let work: Work
  /// Whether the outcome needs the keys even if the store's feed has no followers.
  package let reportsKeys: Bool
  package let watch: BatchWatch
  /// The names in the store's history; nil if there are none.
  package let author: String?
  package let contextName: String?

  package init(
    _ work: Work, reportsKeys: Bool = false, watch: BatchWatch = BatchWatch(),
    author: String? = nil, contextName: String? = nil
  ) {
    self.work = work
    self.reportsKeys = reportsKeys
    self.watch = watch
    self.author = author
    self.contextName = contextName
  }
}

/// The result of a batch in the store.
package struct BatchOutcome: Sendable {
  /// How many objects are gone, or were written.
  package let count: Int
  /// All changes; nil if they were not requested.
  package let keys: ChangedKeys?

  package init(count: Int, keys: ChangedKeys?) {
    self.count = count
    self.keys = keys
  }
}

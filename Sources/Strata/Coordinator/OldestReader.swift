// SPDX-License-Identifier: Apache-2.0
import StrataStore

/// A reader of an old state of a store.
public struct OldestReader: Sendable, Hashable {
  /// The process that reads.
  public let processID: Int32
  /// How many commits its state is behind the newest.
  public let commitLag: Int
  /// How long the state has not been the newest, at least. It counts from the first later commit
  /// that this process has noticed. The true time may be longer by up to 1 second plus a sixteenth
  /// of the value, and by more if another process made that commit. The reader itself may be older.
  public let age: Duration
  /// The name of the context of this process that has pinned the state; nil for a reader of another
  /// process, a context without a name, a long turn, or a backup.
  public let holder: String?
}

extension PersistentStoreCoordinator {
  /// The oldest state of the store that this or another process reads; nil if there is no reader,
  /// and for a store on a read-only medium.
  ///
  /// LMDB does not reuse the pages that saves have freed since that state, and the file grows. A
  /// context reads a state for one turn at most. A reader of an old state is therefore a pinned
  /// query generation, a backup, or a turn that does not end.
  ///
  /// A writer logs a warning if the oldest reader is a minute old and 1,000 commits behind
  /// (`StrataLog`).
  ///
  /// - Throws: `StoreError.closed`.
  /// - Complexity: O(readers of all processes).
  public func oldestReader() throws -> OldestReader? {
    try store.oldestReader().map {
      OldestReader(
        processID: $0.processID, commitLag: $0.commitLag, age: $0.age, holder: $0.holder)
    }
  }
}

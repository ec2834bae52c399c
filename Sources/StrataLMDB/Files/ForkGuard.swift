// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// Detects whether this process was forked from one that uses LMDB.
///
/// A forked child shares the parent's reader slots and has no writer thread: its calls would harm
/// the parent (lmdb.h: "Use an MDB_env* in the process which opened it, not after fork()"). A
/// handler that runs in the child is remembered instead of asking for the process number, which is
/// a system call, at each transaction.
package enum ForkGuard {
  private static let isChild = Atomic<Bool>(false)

  private static let installation: Int32 = pthread_atfork(nil, nil) {
    ForkGuard.isChild.store(true, ordering: .relaxed)
  }

  /// Watches for forks from now on.
  static func install() throws(LMDBError) {
    _ = isInForkedChild
    try StrataLMDB.check(installation)
  }

  package static var isInForkedChild: Bool { isChild.load(ordering: .relaxed) }

  static func check() throws(LMDBError) {
    if isInForkedChild { throw .forked }
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

// Several processes with one file.

extension Environment {
  /// Whether another process has the file open. False for a file without a name. A system call.
  package var isShared: Bool { lockFile?.isShared ?? false }

  /// Whether no other process can have the lock of writers. A system call.
  var isAlone: Bool { lockFile.map { !$0.isShared } ?? !options.keepsName }

  /// How long savers wait for a write transaction of another process; nil for ever.
  package var busyTimeout: Duration? { writer.patience.limit }

  /// The error of a caller that has waited too long for another process; nil if no other process
  /// has the lock of writers now.
  package var busyError: LMDBError? {
    isWriting.load(ordering: .relaxed) ? nil : Self.busyError(lockFile)
  }

  /// Gives up the callers of jobs while the writer waits for another process.
  var givingUp: WriterPatience.GiveUp {
    { [writer, lockFile] arrivedUpTo in
      // The lock is free just now, and the writer will have it.
      guard let error = Self.busyError(lockFile) else { return arrivedUpTo + Self.shortWait }
      return writer.giveUp(arrivedUpTo, error)
    }
  }

  private static var shortWait: Duration { .milliseconds(10) }

  private static func busyError(_ lockFile: LockFile?) -> LMDBError? {
    switch lockFile?.writer {
    case .process(let id): id == getpid() ? nil : .busy(processID: id)
    case .some(.none): nil
    case .unknown, nil: .busy(processID: nil)
    }
  }

  /// Notifies the watches of all processes that have the file open, which call their functions.
  package func tellOthers() { lockFile?.touch() }

  /// Calls `hear` soon after a process has called `tellOthers`, this one included, on a queue of
  /// the watch's own. Several calls of that may be one of `hear`.
  ///
  /// - Returns: nil for a file without a name, and if the system has no watch left.
  package func watchOthers(_ hear: @escaping @Sendable () -> Void) -> CommitWatch? {
    lockFile.flatMap { CommitWatch(of: $0, hear) }
  }
}

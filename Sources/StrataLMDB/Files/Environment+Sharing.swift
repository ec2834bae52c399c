// SPDX-License-Identifier: Apache-2.0

// Several processes with one file.

extension Environment {
  /// Whether another process has the file open. False for a file without a name. A system call.
  package var isShared: Bool { lockFile?.isShared ?? false }

  /// Has the watches of all processes that have the file open call their functions.
  package func tellOthers() { lockFile?.touch() }

  /// Calls `hear` soon after a process has called `tellOthers`, this one included, on a queue of
  /// the watch's own. Several calls of that may be one of `hear`.
  ///
  /// - Returns: nil for a file without a name, and if the system has no watch left.
  package func watchOthers(_ hear: @escaping @Sendable () -> Void) -> CommitWatch? {
    lockFile.flatMap { CommitWatch(of: $0, hear) }
  }
}

// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// The failures that a commit survives.
@usableFromInline
package enum StoreDurability: String, Hashable, Sendable, CaseIterable {
  /// Power failure: data and header are synced at each commit.
  case full
  /// Power failure, with the exception of the last commit: the header is not synced. The file stays
  /// sound (lmdb.h: MDB_NOMETASYNC).
  case relaxed
  /// Survives the end of the process, not a crash of the machine, which may damage the file. For
  /// scratch stores only (lmdb.h: MDB_NOSYNC).
  case none

  var flags: UInt32 {
    switch self {
    case .full: StorageFault.commitUnsynced.isPlanted ? UInt32(MDB_NOSYNC) : 0
    case .relaxed: UInt32(MDB_NOMETASYNC)
    case .none: UInt32(MDB_NOSYNC)
    }
  }
}

/// How an environment is opened.
package struct EnvironmentOptions: Hashable, Sendable {
  /// The size in bytes that commits which add content may make the file grow to; nil for
  /// `byteCountMaxDefault`, or twice the size of a file that is larger when it is opened. Commits
  /// that free content may make the file larger (`FileRoom`). A larger file stays as it is.
  ///
  /// The map is as large as `FileRoom` says, from the beginning: growing it would invalidate
  /// readers' bytes, and 0.9.24 does not refuse to. It costs neither memory nor disk. While the
  /// system refuses it, this number is halved, down to `byteCountMaxMin`.
  package var byteCountMax: Int?
  /// Reader slots in the lock file, over all processes. The first process that opens the file sets
  /// it.
  package var readerCountMax = 1024
  /// Trees that may be open at once. Each costs a little at every transaction's begin.
  package var treeCountMax = 128
  package var durability = StoreDurability.full
  /// How long callers wait for a write transaction of another process, or for another process that
  /// is opening the file; nil for ever. The first user that writes sets it.
  package var busyTimeout: Duration? = Self.busyTimeoutDefault
  /// Whether to create the file if there is none. A crash while LMDB creates a file leaves one that
  /// never opens again, so create under a temporary name and rename.
  package var createIfMissing = false
  /// Whether the path must lead to the file as long as it is open. Otherwise, the file may be
  /// unlinked or moved without an error: for a store in memory, whose file has no name.
  package var keepsName = true
  /// Whether the caller only reads. Then a file that cannot be written to is opened too
  /// (`Environment.isWritable`), and the durability does not matter.
  package var isForReading = false

  /// Whether this process has written the file just now: its pages are not checked before it is
  /// opened.
  package var isTrusted = false
  /// Whether the environment is opened for one operation, such as a copy. Opening the file for
  /// longer waits until it is closed, so that these options do not decide about later users.
  package var isTransient = false

  /// How long the writer's thread waits for another job before it ends. To start one again takes
  /// less than a durable commit.
  package var writerIdleLimit = Duration.seconds(1)
  /// Whether the whole file is checked when it is opened, whatever its stamp says (`FileStamp`).
  package var ignoresStamp = false

  package init() {}

  package static var busyTimeoutDefault: Duration { .seconds(30) }
  /// 32 GiB, or 400 MiB where an address has 32 bits. The map of such a file has 65 GiB, and
  /// addresses have 47 bits on x86-64: a process can have a thousand files.
  package static var byteCountMaxDefault: Int {
    byteCountMaxInTests ?? (Int.bitWidth == 64 ? 1 << 35 : 400 << 20)
  }
  /// Of a store in memory: 16 GiB.
  package static var byteCountMaxInMemory: Int {
    byteCountMaxInTests ?? (Int.bitWidth == 64 ? 1 << 34 : 400 << 20)
  }
  /// 512 MiB: where not even the map for this can be had, opening fails with `outOfMemory`.
  package static var byteCountMaxMin: Int { 1 << 29 }

  #if DEBUG
    /// The environment variable `STRATA_BYTE_COUNT_MAX`: a number in place of both defaults, so
    /// that the tests of a process need few addresses. Release builds ignore it.
    private static let byteCountMaxInTests = getenv("STRATA_BYTE_COUNT_MAX").flatMap {
      Int(String(cString: $0))
    }
  #else
    private static var byteCountMaxInTests: Int? { nil }
  #endif
}

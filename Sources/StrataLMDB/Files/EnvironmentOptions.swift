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
  /// The size of the address space that the file may grow into, in bytes; it costs neither memory
  /// nor disk. While the system refuses it, it is halved, down to `mapSizeBytesMin`. So large that
  /// it need never grow: growing it would invalidate readers' bytes, and 0.9.24 does not refuse to.
  package var mapSizeBytes = Self.mapSizeBytesDefault
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

  package init() {}

  package static var busyTimeoutDefault: Duration { .seconds(30) }
  /// 1 TiB, or 1 GiB where an address has 32 bits.
  package static var mapSizeBytesDefault: Int {
    mapSizeBytesInTests ?? (Int.bitWidth == 64 ? 1 << 40 : 1 << 30)
  }
  /// For a store in memory, 16 GiB, so that a process can have a thousand of them beside its files:
  /// addresses have 47 bits on x86-64.
  package static var mapSizeBytesInMemory: Int {
    mapSizeBytesInTests ?? (Int.bitWidth == 64 ? 1 << 34 : 1 << 30)
  }
  /// 1 GiB: where not even this can be mapped, opening fails with `outOfMemory`.
  package static var mapSizeBytesMin: Int { 1 << 30 }

  #if DEBUG
    /// The environment variable `STRATA_MAP_SIZE`, in bytes: a size in place of both defaults, so
    /// that the tests of a process need few addresses. Release builds ignore it.
    private static let mapSizeBytesInTests = getenv("STRATA_MAP_SIZE").flatMap {
      Int(String(cString: $0))
    }
  #else
    private static var mapSizeBytesInTests: Int? { nil }
  #endif
}

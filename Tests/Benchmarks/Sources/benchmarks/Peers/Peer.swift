// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A store that does the workloads: Strata, or one that it is compared with.
///
/// The work is in small protocols, one for each kind of work. Each method of those is the whole
/// loop of a workload, so that nothing but the peer's own work is measured. A peer that does not
/// implement a method cannot do the work, and the report says so. All peers maintain the same three
/// indexes, are equally durable, read the same fields, and give the same sums.
///
/// ## Lifetime
/// One round. `open` and `close` come in pairs.
protocol Peer: InsertingPeer, ChangingPeer, ReadingPeer, QueryingPeer, ScanningPeer, MembersPeer,
  ThreadedPeer
{
  /// - Parameter file: the path of its file, which need not exist yet; further files may be beside
  ///   it.
  init(_ people: People, at file: URL)

  /// - Parameter durability: whether a save waits for the disk.
  func open(_ durability: Durability) throws
  func close() throws
  /// Releases all objects: the following work starts as in a fresh context.
  func forget()
  /// The sum of all records, of all entries of the three indexes, and of all members of companies.
  /// It is not measured.
  func digest() throws -> UInt64
}

extension Peer {
  func open() throws { try open(.synced) }
}

/// Whether a save waits for the disk.
enum Durability {
  case synced, unsynced
}

/// A workload that a peer cannot do.
struct Unsupported: Error {
  let reason: String

  /// The work has no implementation for the peer.
  static let notWritten = Unsupported(reason: "cannot do it, or it is not written")
}

/// The peers by name, as the command line has them.
enum PeerKind: String, CaseIterable, Sendable {
  case lmdb, sqlite, grdb
  case grdbCached = "grdb-cached"
  case strata

  /// The type that does the work; nil if this program was built without it.
  var type: (any Peer.Type)? {
    switch self {
    case .lmdb: LMDBPeer.self
    case .strata: StrataPeer.self
    #if HAS_SQLITE
      case .sqlite: SQLitePeer.self
      case .grdb: GRDBPeer.self
      case .grdbCached: GRDBCachedPeer.self
    #else
      case .sqlite, .grdb, .grdbCached: nil
    #endif
    }
  }

  /// Why `type` is nil.
  var absence: String { "built without sqlite3.h (apt-get install libsqlite3-dev)" }
}

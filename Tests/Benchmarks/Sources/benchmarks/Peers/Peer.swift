// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A store that does the workloads: Strata, or one that it is compared with.
///
/// Each method is the whole loop of a workload, so that nothing but the peer's own work is
/// measured. All peers keep the same three indexes, are as durable as each other, read the same
/// fields, and give the same sums.
///
/// ## Lifetime
/// One round. `open` and `close` come in pairs.
protocol Peer: AnyObject {
  /// - Parameter file: the path of its file, which need not exist yet; further files may be beside
  ///   it.
  init(_ people: People, at file: URL)

  func open() throws
  func close() throws

  // MARK: Writing

  /// Inserts persons, a number of them in each durable save; with person 1 come the companies.
  func insert(_ serials: ClosedRange<Int>, perSave: Int) throws
  /// A function that inserts one person in a durable save, from a thread of its own beside others.
  func makeSaver() throws -> @Sendable (_ serial: Int) throws -> Void
  /// A function that changes the score of 100 persons in a durable save, from another thread than
  /// the reader's.
  func makeChanger() throws -> @Sendable (_ step: Int) throws -> Void
  /// Adds 1 to each score, in one save.
  func raiseScores() throws
  /// Moves each age on by 7,919, in one save.
  func shiftAges() throws
  /// Deletes each person by itself, in one save.
  func deleteOneByOne() throws
  /// Deletes all persons at once.
  func deleteAtOnce() throws

  // MARK: Reading

  /// Releases all objects: the following work starts as in a fresh context.
  func forget()
  /// Name, age and date of each person by serial; `perTurn` of them share a snapshot.
  func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64
  /// All as objects: age and length of name.
  func fetchAll() throws -> UInt64
  /// The same without objects.
  func stream() throws -> UInt64
  /// Name and age of the persons of each name.
  func fetchByName(_ names: [UInt32]) throws -> UInt64
  /// The IDs of the persons of each name.
  /// - Returns: a function that computes the sum of their serials; it is not measured.
  func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64
  /// Name and age of the first 50 persons in each range of ages, by age.
  func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64
  /// The same by name.
  func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64
  /// Gets the persons ready for `hop`, if the peer has objects; it is not measured.
  func prepareHop() throws
  /// From each person to the company, and of that the name.
  func hop() throws -> UInt64
  /// The sum of all that is there; it is not measured.
  func digest() throws -> UInt64
}

/// A workload that a peer cannot do.
struct Unsupported: Error {
  let reason: String
}

/// The peers by name, as the command line has them.
enum PeerKind: String, CaseIterable, Sendable {
  case lmdb, sqlite, grdb, strata

  /// The type that does the work; nil if this program was built without it.
  var type: (any Peer.Type)? {
    switch self {
    case .lmdb: LMDBPeer.self
    case .strata: StrataPeer.self
    #if HAS_SQLITE
      case .sqlite: SQLitePeer.self
      case .grdb: GRDBPeer.self
    #else
      case .sqlite, .grdb: nil
    #endif
    }
  }

  /// Why `type` is nil.
  var absence: String { "built without sqlite3.h (apt-get install libsqlite3-dev)" }
}

// SPDX-License-Identifier: Apache-2.0
#if HAS_SQLITE
  import CPeople
  import CSQLitePeer
  import Foundation
  import Synchronization

  /// Raw SQLite with prepared statements, WAL and synchronous FULL. All of its work is in C. A row
  /// that is fetched is copied and kept, but not registered: SQLite has no identity of objects.
  final class SQLitePeer: Peer {
    private let people: People
    private let file: URL
    private var raw: OpaquePointer!
    private var changer: Connection?

    /// A connection that several threads use, one at a time.
    // Safety: `raw` is used under `lock` alone, or by one thread.
    private final class Connection: @unchecked Sendable {
      let raw: OpaquePointer
      let lock = Mutex(())

      init(_ raw: OpaquePointer) { self.raw = raw }
    }

    init(_ people: People, at file: URL) {
      self.people = people
      self.file = file
    }

    func open() { raw = sqlite_open(file.path, people.rows) }

    func close() {
      if let changer { sqlite_close(changer.raw) }
      changer = nil
      sqlite_close(raw)
      raw = nil
    }

    func insert(_ serials: ClosedRange<Int>, perSave: Int) {
      sqlite_insert(raw, UInt64(serials.lowerBound), UInt64(serials.count), UInt64(perSave))
    }

    func makeSaver() -> @Sendable (Int) throws -> Void {
      let connection = sharedConnection()
      return { serial in
        connection.lock.withLock { _ in sqlite_insert(connection.raw, UInt64(serial), 1, 1) }
      }
    }

    func makeChanger() -> @Sendable (Int) throws -> Void {
      let connection = sharedConnection()
      return { sqlite_change_hundred(connection.raw, UInt64($0)) }
    }

    /// One connection for all other threads: savers that have one each wait for each other in
    /// sleeps, which is slower.
    private func sharedConnection() -> Connection {
      if let changer { return changer }
      let made = Connection(sqlite_open(file.path, people.rows))
      changer = made
      return made
    }

    func raiseScores() { sqlite_raise_scores(raw) }
    func shiftAges() { sqlite_shift_ages(raw) }
    func deleteOneByOne() { sqlite_delete_one_by_one(raw) }
    func deleteAtOnce() { sqlite_delete_at_once(raw) }

    func forget() { sqlite_forget(raw) }

    func readByID(_ serials: [UInt32], perTurn: Int) -> UInt64 {
      sqlite_read_by_id(raw, serials, serials.count, perTurn)
    }

    func fetchAll() -> UInt64 { sqlite_fetch_all(raw) }
    func stream() -> UInt64 { sqlite_stream(raw) }

    func fetchByName(_ names: [UInt32]) -> UInt64 { sqlite_fetch_by_name(raw, names, names.count) }

    func fetchIDsByName(_ names: [UInt32]) -> () -> UInt64 {
      let sum = sqlite_fetch_ids_by_name(raw, names, names.count)
      return { sum }
    }

    func fetchByAge(_ lows: [UInt32], width: Int) -> UInt64 {
      sqlite_fetch_by_age(raw, lows, lows.count, UInt32(width))
    }

    func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) -> UInt64 {
      sqlite_fetch_by_age_sorted_by_name(raw, lows, lows.count, UInt32(width))
    }

    func prepareHop() {}
    func hop() -> UInt64 { sqlite_hop(raw) }
    func digest() -> UInt64 { sqlite_digest(raw) }
  }
#endif

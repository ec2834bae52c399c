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
    private var durability = Durability.synced

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

    func open(_ durability: Durability) {
      self.durability = durability
      raw = connect()
    }

    private func connect() -> OpaquePointer {
      sqlite_open(file.path, people.rows, durability == .synced)
    }

    func close() {
      if let changer { sqlite_close(changer.raw) }
      changer = nil
      sqlite_close(raw)
      raw = nil
    }

    func forget() { sqlite_forget(raw) }
    func digest() -> UInt64 { sqlite_digest(raw) }

    // MARK: - Writing

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
      let made = Connection(connect())
      changer = made
      return made
    }

    func makeSingleChanger(_ serials: [UInt32]) -> (Int) throws -> Void {
      { [raw] in sqlite_change_one(raw!, UInt64(serials[$0 % serials.count])) }
    }

    func raiseScores() { sqlite_raise_scores(raw) }
    func shiftAges() { sqlite_shift_ages(raw) }
    func deleteOneByOne(sparing spared: Int) { sqlite_delete_one_by_one(raw, UInt64(spared)) }
    func deleteAtOnce() { sqlite_delete_at_once(raw) }

    // MARK: - Reading

    func readByID(_ serials: [UInt32], perTurn: Int) -> UInt64 {
      sqlite_read_by_id(raw, serials, serials.count, perTurn)
    }

    func fetchAll() -> UInt64 { sqlite_fetch_all(raw) }
    func stream() -> UInt64 { sqlite_stream(raw) }
    func hop() -> UInt64 { sqlite_hop(raw) }

    // MARK: - Querying

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

    // MARK: - Scanning

    func countScores(below bound: Double) -> Int { Int(sqlite_count_scores_below(raw, bound)) }

    func countBiographies(with text: String, isCaseless: Bool) -> Int {
      Int(sqlite_count_bios_with(raw, text, isCaseless))
    }

    func countAges(_ ages: Range<Int>) -> Int {
      Int(sqlite_count_ages(raw, UInt32(ages.lowerBound), UInt32(ages.count), false))
    }

    func sumAges(_ ages: Range<Int>) -> Int {
      Int(sqlite_count_ages(raw, UInt32(ages.lowerBound), UInt32(ages.count), true))
    }

    func fetchIDsByAge(after offset: Int) -> () -> UInt64 {
      let sum = sqlite_ids_by_age_after(raw, UInt64(offset))
      return { sum }
    }

    func fetchLeastScores() -> UInt64 { sqlite_fetch_least_scores(raw) }

    // MARK: - Members

    func prepareMembers() {}

    func countMembers(afterRemovingEachOf serials: [UInt32]) -> Int {
      serials.reduce(0) { sum, serial in
        removeMembers([serial])
        return sum + Int(sqlite_member_count(raw))
      }
    }

    func membersAmong(_ serials: [UInt32]) -> Int {
      Int(sqlite_members_among(raw, serials, serials.count))
    }

    func insertMembers(_ serials: [UInt32]) { sqlite_employ(raw, serials, serials.count) }
    func removeMembers(_ serials: [UInt32]) { sqlite_dismiss(raw, serials, serials.count) }
    func takeBackMembers() { sqlite_take_back(raw) }
    func readAllMembers() -> UInt64 { sqlite_read_all_members(raw) }

    // MARK: - Threads

    func makeReader() -> any ThreadReader { SQLiteReader(connect()) }
  }

  /// A connection of its own.
  // Safety: one thread uses it.
  private final class SQLiteReader: ThreadReader, @unchecked Sendable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    func countIDs(named name: String) -> Int { Int(sqlite_reader_ids(raw, name)) }
    func sumPersons(named name: String) -> UInt64 { sqlite_reader_persons(raw, name) }
    func close() { sqlite_close(raw) }
  }
#endif

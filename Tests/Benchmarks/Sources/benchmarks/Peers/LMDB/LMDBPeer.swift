// SPDX-License-Identifier: Apache-2.0
import CLMDBPeer
import CPeople
import Foundation

/// Raw LMDB: the limit. All of its work is in C.
final class LMDBPeer: Peer {
  private let people: People
  private let file: URL
  private(set) var raw: OpaquePointer!

  // Safety: LMDB takes one writer at a time, and the calls that savers make share nothing else.
  private struct Handle: @unchecked Sendable { let raw: OpaquePointer }

  init(_ people: People, at file: URL) {
    self.people = people
    self.file = file
  }

  func open(_ durability: Durability) {
    raw = lmdb_open(file.path, people.rows, durability == .synced)
  }

  func close() {
    lmdb_close(raw)
    raw = nil
  }

  func forget() { lmdb_forget(raw) }
  func digest() -> UInt64 { lmdb_digest(raw) }

  // MARK: - Writing

  func insert(_ serials: ClosedRange<Int>, perSave: Int) {
    lmdb_insert(raw, UInt64(serials.lowerBound), UInt64(serials.count), UInt64(perSave))
  }

  func makeSaver() -> @Sendable (Int) throws -> Void {
    let handle = Handle(raw: raw)
    return { lmdb_insert(handle.raw, UInt64($0), 1, 1) }
  }

  func makeChanger() -> @Sendable (Int) throws -> Void {
    let handle = Handle(raw: raw)
    return { lmdb_change_hundred(handle.raw, UInt64($0)) }
  }

  func makeSingleChanger(_ serials: [UInt32]) -> (Int) throws -> Void {
    { [raw] in lmdb_change_one(raw!, UInt64(serials[$0 % serials.count])) }
  }

  func raiseScores() { lmdb_raise_scores(raw) }
  func shiftAges() { lmdb_shift_ages(raw) }
  func deleteOneByOne(sparing spared: Int) { lmdb_delete_one_by_one(raw, UInt64(spared)) }
  func deleteAtOnce() { lmdb_delete_at_once(raw) }

  // MARK: - Reading

  func readByID(_ serials: [UInt32], perTurn: Int) -> UInt64 {
    lmdb_read_by_id(raw, serials, serials.count, perTurn)
  }

  func fetchAll() -> UInt64 { lmdb_fetch_all(raw) }
  func stream() -> UInt64 { lmdb_stream(raw) }
  func prepareHop() { _ = lmdb_fetch_all(raw) }
  func hop() -> UInt64 { lmdb_hop(raw) }

  // MARK: - Querying

  func fetchByName(_ names: [UInt32]) -> UInt64 { lmdb_fetch_by_name(raw, names, names.count) }

  func fetchIDsByName(_ names: [UInt32]) -> () -> UInt64 {
    let sum = lmdb_fetch_ids_by_name(raw, names, names.count)
    return { sum }
  }

  func fetchByAge(_ lows: [UInt32], width: Int) -> UInt64 {
    lmdb_fetch_by_age(raw, lows, lows.count, UInt32(width))
  }

  func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) -> UInt64 {
    lmdb_fetch_by_age_sorted_by_name(raw, lows, lows.count, UInt32(width))
  }

  // MARK: - Scanning

  func countScores(below bound: Double) -> Int { Int(lmdb_count_scores_below(raw, bound)) }

  func countBiographies(with text: String, isCaseless: Bool) -> Int {
    Int(lmdb_count_bios_with(raw, text, isCaseless))
  }

  func countAges(_ ages: Range<Int>) -> Int {
    Int(lmdb_count_ages(raw, UInt32(ages.lowerBound), UInt32(ages.count), false))
  }

  func sumAges(_ ages: Range<Int>) -> Int {
    Int(lmdb_count_ages(raw, UInt32(ages.lowerBound), UInt32(ages.count), true))
  }

  func fetchIDsByAge(after offset: Int) -> () -> UInt64 {
    let sum = lmdb_ids_by_age_after(raw, UInt64(offset))
    return { sum }
  }

  func fetchLeastScores() -> UInt64 { lmdb_fetch_least_scores(raw) }

  // MARK: - Members

  func prepareMembers() { _ = lmdb_fetch_all(raw) }

  func countMembers(afterRemovingEachOf serials: [UInt32]) -> Int {
    serials.reduce(0) { sum, serial in
      removeMembers([serial])
      return sum + Int(lmdb_member_count(raw))
    }
  }

  func membersAmong(_ serials: [UInt32]) -> Int {
    Int(lmdb_members_among(raw, serials, serials.count))
  }

  func insertMembers(_ serials: [UInt32]) { lmdb_employ(raw, serials, serials.count) }
  func removeMembers(_ serials: [UInt32]) { lmdb_dismiss(raw, serials, serials.count) }
  func takeBackMembers() { lmdb_take_back(raw) }
  func readAllMembers() -> UInt64 { lmdb_read_all_members(raw) }

  // MARK: - Threads

  func makeReader() -> any ThreadReader { LMDBReader(raw) }
}

/// A read transaction of its own, which is renewed for each read.
// Safety: one thread uses it.
private final class LMDBReader: ThreadReader, @unchecked Sendable {
  private let raw: OpaquePointer

  init(_ peer: OpaquePointer) { raw = lmdb_reader_open(peer) }

  func countIDs(named name: String) -> Int { Int(lmdb_reader_ids(raw, name)) }
  func sumPersons(named name: String) -> UInt64 { lmdb_reader_persons(raw, name) }
  func close() { lmdb_reader_close(raw) }
}

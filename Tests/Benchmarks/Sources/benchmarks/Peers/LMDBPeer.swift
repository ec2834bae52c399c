// SPDX-License-Identifier: Apache-2.0
import CLMDBPeer
import CPeople
import Foundation

/// Raw LMDB: the limit. All of its work is in C.
final class LMDBPeer: Peer {
  private let people: People
  private let file: URL
  private var raw: OpaquePointer!

  // Safety: LMDB takes one writer at a time, and the calls that savers make share nothing else.
  private struct Handle: @unchecked Sendable { let raw: OpaquePointer }

  init(_ people: People, at file: URL) {
    self.people = people
    self.file = file
  }

  func open() { raw = lmdb_open(file.path, people.rows) }

  func close() {
    lmdb_close(raw)
    raw = nil
  }

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

  func raiseScores() { lmdb_raise_scores(raw) }
  func shiftAges() { lmdb_shift_ages(raw) }
  func deleteOneByOne() { lmdb_delete_one_by_one(raw) }
  func deleteAtOnce() { lmdb_delete_at_once(raw) }

  func forget() { lmdb_forget(raw) }

  func readByID(_ serials: [UInt32], perTurn: Int) -> UInt64 {
    lmdb_read_by_id(raw, serials, serials.count, perTurn)
  }

  func fetchAll() -> UInt64 { lmdb_fetch_all(raw) }
  func stream() -> UInt64 { lmdb_stream(raw) }

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

  func prepareHop() { _ = lmdb_fetch_all(raw) }
  func hop() -> UInt64 { lmdb_hop(raw) }
  func digest() -> UInt64 { lmdb_digest(raw) }
}

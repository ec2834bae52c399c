// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where the bytes of an environment's file lie in memory, and how many there are.
///
/// LMDB believes what an entry says of its length, which in a damaged file is anything up to 4 GiB, and
/// who reads beyond the end of a mapped file dies by SIGBUS. So the bytes of each entry are held against
/// this before they are given out, if they do not lie within one page anyway. A page that is being written
/// lies in memory of LMDB's own, with what it had: a length in it that was damaged before is not found.
///
/// lmdb.h tells nobody where the map is. But a page has its own number at its beginning: the place of one
/// that is the same in memory and in the file gives the place of all.
///
/// ## Isolation
/// Sendable: what is found out twice is the same.
final class MappedFile: Sendable {
  /// 0 until it is known: nothing was looked for, or there is no entry in the file.
  private let start = Atomic<UInt>(0)
  /// What the file has had at least: it never shrinks while it is open.
  private let byteCount = Atomic<UInt>(0)

  /// Whether the bytes are there; nil if they are none of the file's, but of a page that is being written.
  ///
  /// - Throws: `readersFull`, `outOfMemory`, `io`.
  func holds(_ bytes: MDB_val, in environment: Environment) throws(LMDBError) -> Bool? {
    var start = start.load(ordering: .relaxed)
    if start == 0 {
      start = try find(environment) ?? 0
      if start == 0 { return nil }
      self.start.store(start, ordering: .relaxed)
    }
    let first = UInt(bitPattern: bytes.mv_data)
    guard first >= start, first - start < UInt(environment.options.mapSizeBytes) else { return nil }
    let end = first - start + UInt(bitPattern: bytes.mv_size)
    if end <= byteCount.load(ordering: .relaxed) { return true }
    var status = stat()
    guard fstat(environment.file, &status) == 0 else { throw LMDBError(code: errno) }
    byteCount.store(UInt(status.st_size), ordering: .relaxed)
    return end <= UInt(status.st_size)
  }

  /// Looks for the place by the page of the first tree's name; nil if the file has no tree, or if the page
  /// is not what it should be.
  private func find(_ environment: Environment) throws(LMDBError) -> UInt? {
    var opened: OpaquePointer?
    try environment.check(mdb_txn_begin(environment.raw, nil, UInt32(MDB_RDONLY), &opened))
    defer { mdb_txn_abort(opened) }
    var moved: OpaquePointer?
    try environment.check(mdb_cursor_open(opened, Tree.directory.handle, &moved))
    defer { mdb_cursor_close(moved) }
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(moved, &key, &value, MDB_FIRST)
    if code == MDB_NOTFOUND { return nil }
    try environment.check(code)
    var statistics = MDB_stat()
    try environment.check(mdb_env_stat(environment.raw, &statistics))
    return Self.start(
      byPageOf: UInt(bitPattern: key.mv_data), pageByteCount: UInt(statistics.ms_psize),
      of: environment.file)
  }

  /// - Parameter place: in memory, of an entry. Its page begins where one of the system's does, not more
  ///   than a page before.
  private static func start(
    byPageOf place: UInt, pageByteCount: UInt, of file: Int32
  ) -> UInt? {
    let step = min(max(pageByteCount, 1), SystemPage.byteCount)
    var page = place / step * step
    while page > 0, place - page < pageByteCount {
      if let head = UnsafeRawPointer(bitPattern: page) {
        let count = Int(place - page)
        let number = head.load(as: UInt.self)
        let offset = number.multipliedReportingOverflow(by: pageByteCount)
        if !offset.overflow, offset.partialValue < page,
          isSame(UnsafeRawBufferPointer(start: head, count: count), offset.partialValue, in: file)
        {
          return page - offset.partialValue
        }
      }
      page -= step
    }
    return nil
  }

  private static func isSame(
    _ bytes: UnsafeRawBufferPointer, _ offset: UInt, in file: Int32
  ) -> Bool {
    guard let offset = off_t(exactly: offset) else { return false }
    let inFile = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { inFile.deallocate() }
    return pread(file, inFile.baseAddress, bytes.count, offset) == bytes.count
      && inFile.elementsEqual(bytes)
  }
}

/// A page of the system.
@usableFromInline
enum SystemPage {
  /// A divisor of its size wherever Strata runs: of as many bytes from a multiple of it on, all can be
  /// read if one can.
  @inlinable static var byteCount: UInt { 4096 }
}

// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
import CStrataLMDB
import StrataPrimitives
import Synchronization

/// The address and the length of an environment's file in memory.
///
/// LMDB trusts the length that an entry states, which in a damaged file is anything up to 4 GiB,
/// and reading beyond the end of a mapped file raises SIGBUS. So the bytes of each entry are
/// compared with this range before they are returned, unless they are within one page. A page that
/// is being written is in LMDB's own memory: a length in it that was damaged before is not found.
///
/// A file that is cut off while it is mapped, and a disk that cannot be read, raise SIGBUS all the
/// same. Once the address is known, a guard turns that into an empty page (`map_guard.h`), which
/// readers take for damage, or has a call of LMDB that changes the file return an error
/// (`guarded_calls.h`). An assertion of LMDB that fails in such a call does the same. Then
/// `isBroken` is true: no more transactions begin or are committed.
///
/// lmdb.h does not give the address of the map. But a page has its own number at its beginning: the
/// address of one that is the same in memory and in the file gives the address of all.
///
/// ## Isolation
/// Sendable: two threads that find the address get the same result.
final class MappedFile: Sendable {
  /// 0 until it is known: nothing was looked for, or there is no entry in the file.
  private let start = Atomic<UInt>(0)
  /// The length of the map.
  let mapByteCount: Int
  /// Whether the whole file was checked since it was opened, or need not be.
  let isChecked: Atomic<Bool>
  /// The room for longer content in the map, and behind the end of the file.
  let room: FileRoom
  /// A lower bound of the file's length: it never shrinks while it is open.
  private let byteCount = Atomic<UInt>(0)
  /// The number of bytes of a page, if the requirements of `pages(of:)` are met; 0 until that is
  /// known, -1 if they are not.
  private let pageByteCount = Atomic<Int>(0)
  /// The number of the guard; -1 without one.
  private let guardNumber = Atomic<Int32>(-1)

  init(mapByteCount: Int, isChecked: Bool, room: consuming FileRoom) {
    self.mapByteCount = mapByteCount
    self.isChecked = Atomic(isChecked)
    self.room = room
  }

  /// Whether a page could not be read, or LMDB has found a page that it cannot use. Then the
  /// environment is of no more use.
  var isBroken: Bool {
    strata_guard_was_hit(guardNumber.load(ordering: .relaxed)) != 0
  }

  /// Begins the guard of a file that has a tree.
  ///
  /// - Throws: `readersFull`, `outOfMemory`, `io`.
  func beginGuard(in environment: Environment) throws(LMDBError) {
    _ = try place(in: environment) { () throws(LMDBError) in try find(environment) }
  }

  /// Ends the guard, before the file is closed.
  func endGuard() {
    strata_guard_end(guardNumber.exchange(-1, ordering: .acquiringAndReleasing))
  }

  /// Gives back all pages of the map that were read. They stay in the system's cache of files, and
  /// reading them again costs a soft page fault. Does nothing if the address is unknown.
  func giveBackPages() {
    // The guard's empty pages are not the file's.
    if isBroken { return }
    // Safety: the map is shared and read-only, so giving pages back loses nothing. Other threads
    // may read them in the meantime, and the system may ignore the advice.
    if let start = UnsafeMutableRawPointer(bitPattern: start.load(ordering: .relaxed)) {
      _ = madvise(start, mapByteCount, MADV_DONTNEED)
    }
  }

  /// Whether the bytes are within the file; nil if they are not in the file's map, but in a page
  /// that is being written.
  ///
  /// - Throws: `readersFull`, `outOfMemory`, `io`.
  func holds(_ bytes: MDB_val, in environment: Environment) throws(LMDBError) -> Bool? {
    let start = try place(in: environment) { () throws(LMDBError) in try find(environment) }
    if start == 0 { return nil }
    let first = UInt(bitPattern: bytes.mv_data)
    guard first >= start, first - start < UInt(mapByteCount) else { return nil }
    let end = first - start + UInt(bitPattern: bytes.mv_size)
    return try end <= fileByteCount(reaching: end, of: environment)
  }

  /// All pages that the newest snapshot has; nil if the file is not of the one form that is known
  /// (`MappedPages`), or its place in memory is not.
  ///
  /// - Parameter entry: the value of an entry of a live snapshot, in a leaf.
  /// - Throws: `io`.
  func pages(
    of environment: Environment, with entry: UnsafeRawBufferPointer
  ) throws(LMDBError) -> MappedPages? {
    var pageByteCount = pageByteCount.load(ordering: .relaxed)
    if pageByteCount < 0 { return nil }
    let start = try place(in: environment) { () throws(LMDBError) in
      try Self.start(byPageOf: UInt(bitPattern: entry.baseAddress), in: environment)
    }
    if pageByteCount == 0 {
      if start == 0 { return nil }
      pageByteCount = MappedPages.pageByteCount(of: environment, at: start) ?? -1
      self.pageByteCount.store(pageByteCount, ordering: .relaxed)
      if pageByteCount < 0 { return nil }
    }
    guard let start = UnsafeRawPointer(bitPattern: start) else { return nil }
    // The content of a snapshot was in the file before the snapshot could be taken, so one check
    // covers all of it.
    var information = MDB_envinfo()
    try environment.check(mdb_env_info(environment.raw, &information))
    let end = (UInt(bitPattern: information.me_last_pgno) &+ 1).multipliedReportingOverflow(
      by: UInt(pageByteCount))
    let byteCount = try fileByteCount(
      reaching: end.overflow ? .max : end.partialValue, of: environment)
    return MappedPages(
      start: start, pageByteCount: pageByteCount,
      byteCount: min(byteCount, UInt(mapByteCount)))
  }

  /// The address of the map; 0 if it is unknown.
  ///
  /// - Parameter find: determines it; returns nil if it cannot.
  private func place(
    in environment: Environment, _ find: () throws(LMDBError) -> UInt?
  ) throws(LMDBError) -> UInt {
    var start = start.load(ordering: .relaxed)
    if start == 0 {
      start = try find() ?? 0
      self.start.store(start, ordering: .relaxed)
      if let first = UnsafeRawPointer(bitPattern: start) { beginGuard(of: first, in: environment) }
    }
    return start
  }

  private func beginGuard(of start: UnsafeRawPointer, in environment: Environment) {
    let number = strata_guard_map(start, mapByteCount)
    let (isFirst, _) = guardNumber.compareExchange(
      expected: -1, desired: number, ordering: .acquiringAndReleasing)
    // Another thread has found the address at the same time.
    if isFirst { guarded_begin(environment.raw, number) } else { strata_guard_end(number) }
  }

  /// How many bytes the file has at least: all that it has, if those are fewer than `end`.
  private func fileByteCount(
    reaching end: UInt, of environment: Environment
  ) throws(LMDBError) -> UInt {
    let known = byteCount.load(ordering: .relaxed)
    if end <= known { return known }
    var status = stat()
    guard fstat(environment.file, &status) == 0 else { throw LMDBError(code: errno) }
    byteCount.store(UInt(status.st_size), ordering: .relaxed)
    return UInt(status.st_size)
  }

  /// Determines the address by the page of the first tree's name; nil if the file has no tree, or
  /// if the page has another form.
  private func find(_ environment: Environment) throws(LMDBError) -> UInt? {
    let opened = try Environment.beginReading(environment.raw)
    defer { mdb_txn_abort(opened) }
    var moved: OpaquePointer?
    try environment.check(mdb_cursor_open(opened, Tree.directory.handle, &moved))
    defer { mdb_cursor_close(moved) }
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(moved, &key, &value, MDB_FIRST)
    if code == MDB_NOTFOUND { return nil }
    try environment.check(code)
    return try Self.start(byPageOf: UInt(bitPattern: key.mv_data), in: environment)
  }

  /// - Parameter place: in memory, of an entry. Its page begins where one of the system's does, not
  ///   more than a page before.
  private static func start(
    byPageOf place: UInt, in environment: Environment
  ) throws(LMDBError) -> UInt? {
    var statistics = MDB_stat()
    try environment.check(mdb_env_stat(environment.raw, &statistics))
    let pageByteCount = UInt(statistics.ms_psize)
    let step = min(max(pageByteCount, 1), SystemPage.byteCount)
    var page = place / step * step
    while page > 0, place - page < pageByteCount {
      if let head = UnsafeRawPointer(bitPattern: page) {
        let count = Int(place - page)
        let number = head.load(as: UInt.self)
        let offset = number.multipliedReportingOverflow(by: pageByteCount)
        if count >= entryPlaceMin, PageKind(ofPageAt: head) == .leaf,
          !offset.overflow, offset.partialValue < page,
          isSame(
            UnsafeRawBufferPointer(start: head, count: count), offset.partialValue,
            in: environment.file)
        {
          return page - offset.partialValue
        }
      }
      page -= step
    }
    return nil
  }

  /// Bytes that a leaf has before the key of its only node: its head, an offset, the node's head.
  private static let entryPlaceMin = MappedPages.headByteCount + 2 + 8

  private static func isSame(
    _ bytes: UnsafeRawBufferPointer, _ offset: UInt, in file: Int32
  ) -> Bool {
    guard let offset = off_t(exactly: offset) else { return false }
    let inFile = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { inFile.deallocate() }
    guard let start = bytes.baseAddress, let startInFile = inFile.baseAddress else { return false }
    return pread(file, startInFile, bytes.count, offset) == bytes.count
      && memcmp(startInFile, start, bytes.count) == 0
  }
}

/// A page of the system.
@usableFromInline
enum SystemPage {
  /// A divisor of its size wherever Strata runs: of as many bytes from a multiple of it on, all can
  /// be read if one can.
  @inlinable static var byteCount: UInt { 4096 }
}

// SPDX-License-Identifier: Apache-2.0
import CStrata
import CStrataLMDB
import StrataPrimitives

/// The header of a file that is in force: the newer of its two (mdb.c: MDB_meta).
///
/// Commit n writes its header to the first page if n is even, to the second page if n is odd. So
/// the other header is that of commit n - 1, in a file without commits of commit 0, too. Where that
/// does not hold, a number was damaged: LMDB would take the older of the two for the newer, and
/// commits would be gone.
struct FileHeader {
  let pageByteCount: Int
  /// The number of the commit.
  let number: UInt64
  /// The last page that the commit uses.
  let lastPage: UInt64
  let freePages: TreeDescription
  let directory: TreeDescription
  /// The digest of the header of the commit before.
  private(set) var formerDigest: UInt64 = 0
  private let digest: UInt64

  private static let offset = MappedPages.headByteCount
  private static let byteCount = 136
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let flags: UInt16 = 8
  /// The flags of trees that Strata does not make. LMDB's list of free pages has number keys.
  private static let treeFlags: UInt16 = 0x7F
  private static let numberKeys: UInt16 = 8

  /// Reads both headers of a file.
  ///
  /// - Throws: `damagedPage`; `notAnLMDBFile`, `versionMismatch`; `io`.
  static func newest(of file: Int32) throws(LMDBError) -> FileHeader {
    let first = try read(0, at: 0, of: file)
    let second = try read(1, at: first.pageByteCount, of: file)
    guard first.pageByteCount == second.pageByteCount else {
      throw .damagedPage(number: 1, .header)
    }
    let newest = first.number < second.number ? second : first
    let other = first.number < second.number ? first : second
    guard newest.number == 0 || other.number == newest.number - 1,
      newest.number == 0 || newest.number & 1 == (newest.number == second.number ? 1 : 0)
    else { throw .damagedPage(number: 0, .headers) }
    var found = newest
    found.formerDigest = other.digest
    return found
  }

  /// The numbers of the commits of both headers; 0 for one that cannot be read.
  static func numbers(of file: Int32) -> [UInt64] {
    let first = try? read(0, at: 0, of: file)
    let second = first.flatMap { try? read(1, at: $0.pageByteCount, of: file) }
    return [first?.number ?? 0, second?.number ?? 0]
  }

  /// The digest of the header of a commit, which is one of the file's last two.
  ///
  /// - Throws: `io`; `notAnLMDBFile` if the file ends before it.
  static func digest(
    ofCommit number: UInt64, in environment: Environment
  ) throws(LMDBError) -> UInt64 {
    var statistics = MDB_stat()
    try environment.check(mdb_env_stat(environment.raw, &statistics))
    let offset = Int(number & 1) * Int(statistics.ms_psize)
    return try withBytes(offset, of: environment.file) { strata_digest($0.baseAddress, $0.count) }
  }

  private static func read(
    _ number: UInt64, at offset: Int, of file: Int32
  ) throws(LMDBError) -> FileHeader {
    try withBytes(offset, of: file) { (bytes) throws(LMDBError) in
      try FileHeader(bytes, number: number)
    }
  }

  private static func withBytes<Result>(
    _ offset: Int, of file: Int32,
    _ body: (UnsafeRawBufferPointer) throws(LMDBError) -> Result
  ) throws(LMDBError) -> Result {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.offset + byteCount, alignment: 8)
    defer { bytes.deallocate() }
    let count = pread(file, bytes.baseAddress, bytes.count, off_t(offset))
    guard count >= 0 else { throw LMDBError(code: errno) }
    guard count == bytes.count else { throw .notAnLMDBFile }
    return try body(UnsafeRawBufferPointer(bytes))
  }

  private init(_ bytes: UnsafeRawBufferPointer, number page: UInt64) throws(LMDBError) {
    let magic = bytes.load(fromByteOffset: Self.offset, as: UInt32.self)
    if page == 0, magic != Self.magic { throw .notAnLMDBFile }
    let version = bytes.load(fromByteOffset: Self.offset + 4, as: UInt32.self)
    if page == 0, version != 1 { throw .versionMismatch }
    let pageByteCount = Int(bytes.load(fromByteOffset: Self.offset + 24, as: UInt32.self))
    freePages = TreeDescription(
      UnsafeRawBufferPointer(rebasing: bytes[(Self.offset + 24)...].prefix(48)))
    directory = TreeDescription(
      UnsafeRawBufferPointer(rebasing: bytes[(Self.offset + 72)...].prefix(48)))
    lastPage = bytes.load(fromByteOffset: Self.offset + 120, as: UInt64.self)
    number = bytes.load(fromByteOffset: Self.offset + 128, as: UInt64.self)
    self.pageByteCount = pageByteCount
    digest = strata_digest(bytes.baseAddress, bytes.count)
    guard magic == Self.magic, version == 1,
      512...0x8000 ~= pageByteCount, pageByteCount.nonzeroBitCount == 1,
      bytes.load(as: UInt64.self) == page,
      bytes.load(fromByteOffset: 10, as: UInt16.self) == Self.flags,
      bytes.load(fromByteOffset: Self.offset + 8, as: UInt64.self) == 0,
      freePages.flags & Self.treeFlags == Self.numberKeys,
      directory.flags & Self.treeFlags == 0,
      lastPage >= 1, number < UInt64(Int64.max)
    else { throw .damagedPage(number: page, .header) }
  }
}

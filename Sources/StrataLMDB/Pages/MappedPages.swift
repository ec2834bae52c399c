// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// The pages of a file that LMDB 0.9 has written, in its map.
///
/// The form of a page has not changed since LMDB 0.9 came out (`MDB_DATA_VERSION` 1), and cannot:
/// files are read by any version of it. All numbers are in the machine's order. Only little-endian
/// machines with 64-bit addresses are supported; elsewhere LMDB's own calls are used.
///
/// ```
///  0        8     10      12      14      16
///  ┌────────┬─────┬───────┬───────┬───────┬───────────────┬────────┬──────────────┐
///  │ number │ pad │ flags │ lower │ upper │ offsets of    │ free   │ nodes        │
///  │ 8      │ 2   │ 2     │ 2     │ 2     │ nodes, each 2 │        │              │
///  └────────┴─────┴───────┴───────┴───────┴───────────────┴────────┴──────────────┘
///                                         16            lower    upper       end of page
///
///  node    size of value, 4; flags, 2; size of key, 2; key; value       in a leaf
///          number of page, 6;          size of key, 2; key              in a branch
///  pages of a long value: number, 8; pad, 2; flags, 2; count of pages, 4; value
/// ```
///
/// ## Invariants
/// - I1 No content of the file is trusted. A page is used if its number is below the number of
///   pages, it has that number, and it is of the kind that it is used as. Positions in it are
///   checked against its size. Everything else is an error.
///
/// ## Lifetime
/// The pages of a snapshot are not written to as long as its read transaction lives: `Transaction`
/// returns bytes by the same rule. The map has its final size.
struct MappedPages {
  let start: UnsafeRawPointer
  let pageByteCount: Int
  /// The number of pages that are wholly in the file.
  private let pageCount: UInt64
  private let pageShift: UInt64

  init(start: UnsafeRawPointer, pageByteCount: Int, byteCount: UInt) {
    self.start = start
    self.pageByteCount = pageByteCount
    pageShift = UInt64(pageByteCount.trailingZeroBitCount)
    pageCount = UInt64(byteCount) >> pageShift
  }

  /// The address of a page of any kind.
  ///
  /// - Throws: `pageNotFound` if the file has no such page.
  @inline(__always)
  func place(of number: UInt64) throws(LMDBError) -> UnsafeRawPointer {
    guard number < pageCount else { throw .pageNotFound }
    return start + Int(truncatingIfNeeded: number &<< pageShift)
  }

  /// The nodes of a branch or leaf.
  ///
  /// - Throws: `pageNotFound`; `corrupted` if it is none, or not whole.
  @inline(__always)
  func nodes(ofPage number: UInt64, _ kind: PageKind) throws(LMDBError) -> PageNodes {
    let page = try place(of: number)
    let word = page.load(fromByteOffset: 8, as: UInt64.self)
    let lower = Int(truncatingIfNeeded: word &>> 32 & 0xFFFF)
    let upper = Int(truncatingIfNeeded: word &>> 48)
    guard page.load(as: UInt64.self) == number,
      UInt16(truncatingIfNeeded: word &>> 16) & PageKind.mask == kind.rawValue,
      // At least one node: each has an offset of two bytes.
      lower > Self.headByteCount, lower & 1 == 0, lower <= upper, upper <= pageByteCount
    else { throw .corrupted }
    return PageNodes(page: page, lower: lower, pageByteCount: pageByteCount)
  }

  /// The bytes of a value that has pages of its own.
  ///
  /// - Throws: `pageNotFound`; `corrupted` if the pages are others, or fewer than the value needs.
  @inline(never)
  func value(
    byteCount: Int, onPage number: UInt64
  ) throws(LMDBError) -> UnsafeRawBufferPointer {
    let page = try place(of: number)
    let flags = page.load(fromByteOffset: 10, as: UInt16.self)
    let count = UInt64(page.load(fromByteOffset: 12, as: UInt32.self))
    guard page.load(as: UInt64.self) == number, flags & PageKind.mask == PageKind.value.rawValue,
      UInt64(byteCount) + UInt64(Self.headByteCount) <= count &<< pageShift
    else { throw .corrupted }
    guard count <= pageCount - number else { throw .pageNotFound }
    return UnsafeRawBufferPointer(start: page + Self.headByteCount, count: byteCount)
  }

  static let headByteCount = 16
}

/// The kind of a page (mdb.c: mp_flags).
package enum PageKind: UInt16 {
  case branch = 1
  case leaf = 2
  /// The first page of a value that does not fit into a leaf.
  case value = 4

  /// The bits that determine the kind: these, and the bits of pages that no plain tree has.
  static var mask: UInt16 { 0x6F }

  /// - Parameter page: readable up to the nodes; nil if it is none of these.
  package init?(ofPageAt page: UnsafeRawPointer) {
    self.init(rawValue: page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & Self.mask)
  }
}

// MARK: - The pages of a file

extension MappedPages {
  /// Bytes of a page; nil unless all is as it is known here.
  ///
  /// - Parameter start: of the map, as `MappedFile` has found it.
  static func pageByteCount(of environment: Environment, at start: UInt) -> Int? {
    guard UInt.bitWidth == 64, 1.littleEndian == 1 else { return nil }
    var (major, minor): (Int32, Int32) = (0, 0)
    mdb_version(&major, &minor, nil)
    guard major == 0, minor == 9 else { return nil }
    var flags: UInt32 = 0
    var statistics = MDB_stat()
    guard mdb_env_get_flags(environment.raw, &flags) == 0,
      // Pages that are being written would be in the map.
      flags & UInt32(MDB_WRITEMAP) == 0,
      mdb_env_stat(environment.raw, &statistics) == 0
    else { return nil }
    let byteCount = Int(statistics.ms_psize)
    guard 512...0x8000 ~= byteCount, byteCount.nonzeroBitCount == 1,
      let header = UnsafeRawPointer(bitPattern: start),
      header.load(fromByteOffset: 16, as: UInt32.self) == 0xBEEF_C0DE,
      header.load(fromByteOffset: 20, as: UInt32.self) == 1
    else { return nil }
    return byteCount
  }
}

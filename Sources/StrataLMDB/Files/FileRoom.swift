// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives
import Synchronization

/// Keeps the room that a full file needs for deletions.
///
/// LMDB writes each changed page to another place, and uses the former one again two commits later
/// at the earliest (mdb.c: `mdb_find_oldest`). So a commit that deletes needs new pages, and in a
/// file that cannot grow it would fail for ever. Two kinds of room are kept for it:
/// - of the map, which is more than twice as large as `byteCountMax`. The kind of a commit says how
///   much of the map it may take: `Change.Kind`.
/// - of the disk: blocks behind the end of the file, which the system gives to no one else. A
///   commit that adds content is refused if the disk has no further blocks to keep. A deletion may
///   use the reserve, whose size is `reserveByteCount(_:)`.
///
/// The last pages of both kinds are for commits that change no content: two of them make the pages
/// usable that the commits before have freed.
///
/// ## Isolation
/// Sendable; the writer thread changes it.
struct FileRoom: ~Copyable, Sendable {
  private let pageByteCount: Int
  /// The pages that the file may have after a commit that adds content.
  private let pageCountMax: Int
  private let mapPageCount: Int
  /// Whether blocks of the disk are kept.
  private let keepsBlocks: Bool
  /// Up to which page the file has blocks, as far as this process has asked for them.
  private let keptPageCount = Atomic<Int>(0)
  /// Whether the disk had no blocks to keep, when it was last asked.
  private let isShortOfBlocks = Atomic<Bool>(false)

  /// Pages that LMDB adds for its list of free pages, after the check of a commit, and pages of
  /// commits that make freed pages usable.
  private static var uncheckedPageCount: Int { 16 }

  /// The pages that a deletion of one object changes, about.
  private static var commonPageCount: Int { 32 }

  /// More than a commit needs that changes no content.
  private static var lastPageCount: Int { 32 }

  /// The size of the map of a file that may grow to `byteCountMax`.
  static func mapByteCount(for byteCountMax: Int) -> Int {
    2 * byteCountMax + byteCountMax / 64 + 1 << 20
  }

  /// The bytes of the disk that are kept behind the end of a file: a sixteenth of the file, at
  /// least 512 KiB and at most 8 MiB.
  package static func reserveByteCount(_ fileByteCount: Int) -> Int {
    min(max(fileByteCount / 16, 1 << 19), 1 << 23)
  }

  /// - Parameter keepsBlocks: whether blocks of the disk are kept: not for a file without a name.
  init(byteCountMax: Int, mapByteCount: Int, pageByteCount: Int, keepsBlocks: Bool) {
    self.pageByteCount = pageByteCount
    mapPageCount = mapByteCount / pageByteCount
    pageCountMax = byteCountMax / pageByteCount - Self.uncheckedPageCount
    self.keepsBlocks = keepsBlocks
  }

  /// A change of the file, for which room is needed.
  struct Change {
    /// The kinds of commits, each of which may take another part of the map.
    enum Kind {
      /// The keys and values of all entries have more bytes after it than before. It may not make
      /// the file larger than `byteCountMax`. In a file that deletions have made larger it may use
      /// freed pages, until a quarter of the room behind `byteCountMax` is in use.
      case addition
      /// All that it adds are records in the history, which may be longer than the objects that it
      /// deletes. It leaves half of the room.
      case recording
      /// It may take all but the last pages.
      case deletion
      /// It changes no content, and makes pages usable that the commits before it have freed. It
      /// makes the file larger than `byteCountMax` only for many of them.
      case reclaiming
    }

    let kind: Kind
    /// The pages of the file before the commit, and after it.
    let pageCounts: (before: Int, after: Int)
    /// By how many bytes the keys and values of all entries become longer.
    let byteCount: Int
  }

  /// Checks a commit.
  ///
  /// - Parameter freePageCount: counts the free pages within the file, as the last commit has left
  ///   them.
  /// - Throws: `mapFull`, `diskFull`, `reserveTooSmall`.
  func check(
    _ change: Change, in file: Int32, freePageCount: () -> Int
  ) throws(LMDBError) {
    let (before, after) = change.pageCounts
    let isLonger = after > before
    let room = mapPageCount - pageCountMax
    // It reads the list of free pages.
    lazy var freeCount = freePageCount()
    func isInUse(atMost count: Int) -> Bool {
      after <= count || before - freeCount + change.byteCount / pageByteCount <= count
    }
    func hasFreedPages() -> Bool { freeCount >= Self.commonPageCount }
    let isWithinMap =
      switch change.kind {
      case .addition where isLonger: after <= pageCountMax
      case .addition:
        isInUse(atMost: pageCountMax) || hasFreedPages() && isInUse(atMost: pageCountMax + room / 4)
      case .recording where isLonger: after <= pageCountMax + room / 2
      case .recording: isInUse(atMost: pageCountMax + room / 2)
      case .deletion: !isLonger || after <= mapPageCount - Self.lastPageCount
      case .reclaiming:
        !isLonger || after <= pageCountMax + Self.uncheckedPageCount || hasFreedPages()
      }
    guard isWithinMap else { throw .mapFull }
    guard keepsBlocks, isLonger, change.kind != .reclaiming else { return }
    let isKept = keepBlocks(behind: after, in: file)
    isShortOfBlocks.store(!isKept, ordering: .relaxed)
    if isKept { return }
    if change.kind == .addition { throw .diskFull }
    let givenCount = givenPageCount(of: file) - Self.lastPageCount
    if after > givenCount {
      let (needed, there) = (freeCount + after - before, freeCount + max(0, givenCount - before))
      let fitting = max(0, there - Self.commonPageCount)
      throw .reserveTooSmall(fittingPermille: min(1_000, 1_000 * fitting / needed))
    }
  }

  /// Whether a commit may need the pages that the last ones have freed.
  func isNearlyFull(pageCount: Int) -> Bool {
    pageCount > pageCountMax / 2 || isShortOfBlocks.load(ordering: .relaxed)
  }

  // MARK: - Blocks of the disk

  /// Has the system keep blocks behind the last of `pageCount` pages.
  ///
  /// - Returns: false if the disk, a quota or the limit of the process has no room for them.
  private func keepBlocks(behind pageCount: Int, in file: Int32) -> Bool {
    let reserve = Self.reserveByteCount(pageCount * pageByteCount)
    let needed = pageCount * pageByteCount + reserve
    guard needed <= Self.byteCountMaxOfProcess else { return false }
    var kept = keptPageCount.load(ordering: .relaxed) * pageByteCount
    if needed <= kept { return true }
    // Another process may have made the file longer.
    var status = stat()
    if fstat(file, &status) == 0 { kept = max(kept, Int(status.st_size)) }
    // Twice as much, so that the next commits need not ask.
    for end in [needed + reserve, needed] where end > kept {
      switch strata_keep_blocks(file, off_t(kept), off_t(end - kept)) {
      case ENOSPC, EDQUOT, EFBIG: continue
      case 0: keptPageCount.store(end / pageByteCount, ordering: .relaxed)
      // The file system keeps no blocks.
      default: keptPageCount.store(.max / pageByteCount - 1, ordering: .relaxed)
      }
      return true
    }
    return needed <= kept
  }

  /// The pages that the blocks of the file suffice for.
  private func givenPageCount(of file: Int32) -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else { return 0 }
    let given = min(Int(status.st_blocks) * 512, Self.byteCountMaxOfProcess)
    return max(given, Int(status.st_size)) / pageByteCount
  }

  /// The size that the system lets a file of this process grow to.
  private static var byteCountMaxOfProcess: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
    #else
      let isKnown = getrlimit(RLIMIT_FSIZE, &limit) == 0
    #endif
    guard isKnown else { return .max }
    return Int(clamping: limit.rlim_cur)
  }
}

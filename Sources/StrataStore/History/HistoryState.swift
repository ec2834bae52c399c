// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataRecord

/// Whether a store keeps a history, since when and how long: the note `#history` beside the names
/// of the trees. Every commit reads it, because another process may have changed it.
///
/// | offset | size | meaning |
/// | --- | --- | --- |
/// | 0 | 1 | 1 if transactions are kept, 0 if not |
/// | 1 | 1 | 1 if a transaction goes when all consumers have passed it, else 0 |
/// | 2 | 6 | the generation after which all transactions are there |
/// | 8 | 8 | the bytes of the transactions' keys and values |
/// | 16 | 8 | the age after which a transaction goes, in seconds; all bits set for any age |
/// | 24 | 8 | the bytes above which the oldest go; all bits set for any number |
/// | 32 | 8 | the mark of the last transaction that is gone; 0 if it is not known |
/// | 40 | 8 | the date of the oldest transaction, a double; NaN if it is not known |
///
/// The last two parts are missing before format 5.
///
/// Docs/FileFormat.md, "History".
struct HistoryState: Equatable {
  static let note: StaticString = "#history"
  static let treeName = "history"
  /// The length of the note in format 4.
  private static let formerByteCount = 32
  private static let byteCount = 48

  var isKept = true
  var endsWhenConsumed = false
  /// Transactions up to this generation are gone, or were never kept.
  private(set) var floor: UInt64
  /// The mark of the transaction of the floor, or a random one if there was no transaction; 0 if it
  /// is not known; nil in format 4.
  private(set) var floorMark: UInt64?
  /// The date of the oldest transaction, in seconds since 1 January 2001, 00:00 UTC; nil if it is
  /// not known. Without it each commit would have to look the transaction up.
  var oldestDate: Double?
  var byteCount: UInt64 = 0
  /// In seconds; nil for any age.
  var ageMax: UInt64?
  /// Nil for any number of bytes.
  var byteCountMax: UInt64?

  /// The state of a history that begins.
  init(floor: UInt64, retention: HistoryRetention) {
    self.floor = floor
    floorMark = HistoryMark.random()
    self.retention = retention
  }

  /// Raises the floor to a generation.
  ///
  /// - Parameter mark: the mark of the transaction of this generation; nil if it has none.
  mutating func raiseFloor(to generation: UInt64, mark: UInt64?) {
    floor = generation
    oldestDate = nil
    if floorMark != nil { floorMark = mark ?? HistoryMark.random() }
  }

  /// Gives a history in format 4 the room for the mark of its floor. The transaction of the floor
  /// is gone, so its mark is not known.
  mutating func markFloor() { floorMark = floorMark ?? HistoryMark.unknown }

  var retention: HistoryRetention {
    get {
      HistoryRetention(
        maximumAge: ageMax.map { .seconds(Int64(clamping: $0)) },
        maximumByteCount: byteCountMax.map { Int(clamping: $0) },
        endsWhenConsumed: endsWhenConsumed)
    }
    set {
      ageMax = newValue.maximumAge.map { UInt64(max(0, $0.components.seconds)) }
      byteCountMax = newValue.maximumByteCount.map { UInt64(max(0, $0)) }
      endsWhenConsumed = newValue.endsWhenConsumed
    }
  }

  // MARK: - In the file

  /// The state that a transaction sees; nil in a store that has never kept a history.
  ///
  /// - Throws: `damaged`, `storage`.
  init?(in transaction: Transaction) throws(StoreError) {
    let bytes: UnsafeRawBufferPointer?
    do throws(LMDBError) {
      bytes = try transaction.note(Self.note)
    } catch {
      throw StoreError(error, tree: Trees.catalogName)
    }
    guard let bytes else { return nil }
    func number(at offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    // No file is as large as 2⁴⁸ bytes.
    guard bytes.count == Self.byteCount || bytes.count == Self.formerByteCount,
      bytes[0] <= 1, bytes[1] <= 1, number(at: 8) < 1 << 48
    else {
      throw .damaged(
        tree: Trees.catalogName, key: Self.note.description, reason: "it cannot be decoded")
    }
    isKept = bytes[0] == 1
    endsWhenConsumed = bytes[1] == 1
    floor = number(at: 0) >> 16
    if bytes.count == Self.byteCount {
      floorMark = number(at: 32)
      let date = Double(bitPattern: number(at: 40))
      oldestDate = date.isNaN ? nil : date
    }
    byteCount = number(at: 8)
    ageMax = number(at: 16) == .max ? nil : number(at: 16)
    byteCountMax = number(at: 24) == .max ? nil : number(at: 24)
  }

  func write(in transaction: WriteTransaction) throws(LMDBError) {
    let flags: UInt64 = (endsWhenConsumed ? 1 << 8 : 0) | (isKept ? 1 : 0)
    let words = (
      (floor << 16 | flags).littleEndian, byteCount.littleEndian, (ageMax ?? .max).littleEndian,
      (byteCountMax ?? .max).littleEndian, (floorMark ?? 0).littleEndian,
      (oldestDate ?? .nan).bitPattern.littleEndian
    )
    let count = floorMark == nil ? Self.formerByteCount : Self.byteCount
    try withUnsafeBytes(of: words) { (bytes) throws(LMDBError) in
      try transaction.setNote(Self.note, to: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }
}

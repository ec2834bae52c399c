// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel
import StrataRecord

/// The store's description of itself, in the tree `catalog`: format, identity, model and counters.
///
/// | name | value |
/// | --- | --- |
/// | `format` | `Strata` and the format version, 2 bytes |
/// | `uuid` | 16 bytes |
/// | `model` | `ModelOutline` as JSON |
/// | `numbers` | `SchemaNumbers` as JSON |
/// | `version` | how many models the store has had, 2 bytes |
/// | `layouts` | `LayoutVersions` as JSON; missing if no layout has changed |
/// | `former` | `FormerNames` as JSON; missing in a store of an earlier release |
/// | `stage` | the digest of the model of the last stage of a plan, 8 bytes; missing without one |
/// | `folding` | the number of the folding of derived texts, 1 byte; missing for a former one |
/// | `=` + key | a value that a program has set, as JSON |
///
/// The counters, which change with each save, are notes beside the names of the trees:
///
/// | note | value |
/// | --- | --- |
/// | `#generation` | the generation of the last save, 8 bytes; `version` if it is not 1, 2 bytes |
/// | `#serial` | the first serial that no block contains, 8 bytes; it is in the store's range |
/// | `#history` | `HistoryState`; missing if the store has never kept a history |
/// | `#recent` | `RecentChanges`; missing until a save while two processes have the file open |
///
/// Numbers are little-endian.
struct Catalog {
  /// The formats that can be read. A store of a former one gets its own when it is opened for
  /// writing (`format(of:)`).
  static let formatVersions = 2...9
  private static let magic = Array("Strata".utf8)

  /// Whether the store has the format of its model, and a seal.
  let isOfLastFormat: Bool
  let uuid: UUID
  let outline: ModelOutline
  let numbers: SchemaNumbers
  let version: UInt16
  let layouts: LayoutVersions
  /// Whether the words of the indexes are folded as now; true if there are no indexes of words.
  let hasPresentWords: Bool
  /// Whether derived texts are folded as now.
  let hasPresentTexts: Bool
  /// The entry `former`, which most openings do not need (`Catalog+FormerNames.swift`); nil if it
  /// is missing.
  let formerNamesText: [UInt8]?

  enum Name: String {
    case format, uuid, model, numbers, version, layouts, former, stage, folding
  }

  /// - Parameter hasPresentTexts: whether `writeModel` and `write` note that derived texts are
  ///   folded as now.
  init(
    uuid: UUID, outline: ModelOutline, numbers: SchemaNumbers, version: UInt16,
    layouts: LayoutVersions, hasPresentTexts: Bool, formerNames: FormerNames?
  ) {
    (isOfLastFormat, hasPresentWords) = (true, true)
    self.hasPresentTexts = hasPresentTexts
    self.uuid = uuid
    self.outline = outline
    self.numbers = numbers
    self.version = version
    self.layouts = layouts
    formerNamesText = formerNames?.text(ofVersion: version)
  }

  /// The catalog of a new store of `model`.
  ///
  /// - Parameters:
  ///   - origin: the parts that it shares with other stores; nil if it shares none.
  ///   - stages: the models of the stages that the store has been through.
  init(
    newStoreOf model: ManagedObjectModel, from origin: StoreOrigin? = nil,
    after stages: [ManagedObjectModel] = []
  ) {
    (isOfLastFormat, hasPresentWords, hasPresentTexts) = (true, true, true)
    uuid = UUID()
    outline = ModelOutline(model)
    numbers = origin?.numbers ?? SchemaNumbers(newStoreOf: model)
    version = origin?.version ?? 1
    layouts = origin?.layouts ?? LayoutVersions()
    var formerNames = FormerNames(newStoreOf: model)
    for stage in stages { formerNames.note(stage, in: model) }
    formerNamesText = formerNames.text(ofVersion: version)
  }

  // MARK: - Reading and writing the whole

  /// The format that is written: the last one only if a former release would leave the indexes of
  /// words out, or make other words.
  private static func format(of model: ModelOutline) -> Int { model.hasFullText ? wordFormat : 7 }

  /// The format of indexes of words that are folded as now (`TextFolding.number`).
  private static let wordFormat = 9

  /// Whether the store has folded texts of a former folding. A store that is opened with `model`
  /// for writing gets the present ones by `StoreEvolution`.
  func hasFormerTexts(of model: ManagedObjectModel) -> Bool {
    !hasPresentWords || !hasPresentTexts && model.hasCanonicalTexts
  }

  /// - Parameters:
  ///   - model: the outline of the model that the store is opened with.
  ///   - new: the numbers of a new store of that model. Most stores have this outline and these
  ///     numbers, and comparing their texts is faster than decoding them.
  /// - Throws: `notAStrataStore` if there is no catalog; `unsupportedFormat`, `damaged`.
  init(
    in transaction: Transaction, _ tree: Tree, path: String, expecting model: ModelOutline,
    _ new: SchemaNumbers
  ) throws(StoreError) {
    guard let format = try Self.bytes(.format, in: transaction, tree),
      format.count == Self.magic.count + 2, format.starts(with: Self.magic)
    else { throw .notAStrataStore(path: path) }
    let found = Int(format[6]) | Int(format[7]) << 8
    guard Self.formatVersions ~= found else { throw .unsupportedFormat(found: found) }
    let bytes = try Self.required(.uuid, byteCount: 16, in: transaction, tree)
    uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    let outline = try Self.required(.model, in: transaction, tree)
    self.outline = outline == model.text ? model : try Self.decode(.model, outline)
    do throws(LMDBError) {
      let hasSeal = try transaction.hasSeal
      isOfLastFormat = found >= Self.format(of: self.outline) && hasSeal
      hasPresentWords = found >= Self.wordFormat || !self.outline.hasFullText
    } catch {
      throw StoreError(error, tree: Trees.catalogName)
    }
    let numbers = try Self.required(.numbers, in: transaction, tree)
    self.numbers = numbers == new.text ? new : try Self.decode(.numbers, numbers)
    version = try Self.version(in: transaction, tree)
    hasPresentTexts = try Self.bytes(.folding, in: transaction, tree) == [TextFolding.number]
    let layouts = try Self.bytes(.layouts, in: transaction, tree)
    self.layouts =
      if let layouts { try Self.decode(.layouts, layouts) } else { LayoutVersions() }
    formerNamesText = try Self.bytes(.former, in: transaction, tree)
    let isExpected = outline == model.text && numbers == new.text
    guard isExpected || self.numbers.areDistinct && self.numbers.covers(self.outline) else {
      throw Self.damaged(Name.numbers.rawValue, "they do not match the store's model")
    }
    guard self.layouts.areSound(upTo: version) else {
      throw Self.damaged(Name.layouts.rawValue, "its versions are not those of the store")
    }
  }

  /// - Throws: `damaged`, `storage`.
  static func version(in transaction: Transaction, _ tree: Tree) throws(StoreError) -> UInt16 {
    let digits = try required(.version, byteCount: 2, in: transaction, tree)
    let version = UInt16(digits[0]) | UInt16(digits[1]) << 8
    guard 1...RecordLayout.versionMax ~= version else {
      throw damaged(Name.version.rawValue, "\(version) is not a model version")
    }
    return version
  }

  /// Writes the catalog of a new store.
  ///
  /// - Parameter firstSerial: the first serial that an object of the store can get.
  func write(
    in transaction: WriteTransaction, _ tree: Tree, firstSerial: UInt64
  ) throws(LMDBError) {
    try Self.put(.uuid, withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }, in: transaction, tree)
    try writeModel(in: transaction, tree)
    try Self.setGeneration(0, ofVersion: version, in: transaction)
    try Self.setFirstFreeSerial(firstSerial, in: transaction)
  }

  /// Writes the entries that describe the model, and the format that they make.
  func writeModel(in transaction: WriteTransaction, _ tree: Tree) throws(LMDBError) {
    try Self.writeFormat(of: outline, in: transaction, tree)
    try Self.put(.model, outline.text, in: transaction, tree)
    try Self.put(.numbers, numbers.text, in: transaction, tree)
    try Self.put(.version, Self.littleEndian(version), in: transaction, tree)
    if !layouts.entities.isEmpty {
      try Self.put(.layouts, layouts.text, in: transaction, tree)
    }
    if hasPresentTexts { try Self.put(.folding, [TextFolding.number], in: transaction, tree) }
    if let formerNamesText {
      try Self.put(.former, formerNamesText, in: transaction, tree)
    }
  }

  /// - Parameter model: the store's.
  static func writeFormat(
    of model: ModelOutline, in transaction: WriteTransaction, _ tree: Tree
  ) throws(LMDBError) {
    transaction.beginSealing()
    try put(.format, magic + littleEndian(UInt16(format(of: model))), in: transaction, tree)
  }

  // MARK: - The stage of a plan

  /// The digest of the model of the last stage that the store has been through; nil if it is not
  /// known.
  ///
  /// - Throws: `damaged`, `storage`.
  static func stage(in transaction: Transaction, _ tree: Tree) throws(StoreError) -> UInt64? {
    guard let digits = try bytes(.stage, in: transaction, tree) else { return nil }
    guard digits.count == 8 else { throw damaged(Name.stage.rawValue, "\(digits.count) bytes") }
    return digits.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func setStage(
    _ digest: UInt64, in transaction: WriteTransaction, _ tree: Tree
  ) throws(LMDBError) {
    try put(.stage, littleEndian(digest), in: transaction, tree)
  }

  // MARK: - Counters

  private static let generationNote: StaticString = "#generation"
  private static let serialNote: StaticString = "#serial"

  /// The generation of the last save that the transaction sees; 0 in a new store. Every snapshot
  /// asks, so nothing is allocated.
  ///
  /// - Parameter version: how many models the store had when it was opened; nil to read the
  ///   generation whatever model the store has.
  /// - Throws: `modelChanged` if it has had others since; `damaged`, `storage`.
  static func generation(
    in transaction: Transaction, ofVersion version: UInt16?
  ) throws(StoreError) -> UInt64 {
    let bytes = try note(generationNote, in: transaction)
    guard bytes.count == 8 || bytes.count == 10 else {
      throw damaged(generationNote.description, "\(bytes.count) bytes")
    }
    let found =
      bytes.count == 8
      ? 1 : UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
    if let version, found != version { throw .modelChanged }
    let generation = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    guard generation < Envelope.generationMax else {
      throw damaged(generationNote.description, "\(generation) is not a generation")
    }
    return generation
  }

  /// - Parameter version: how many models the store has had.
  static func setGeneration(
    _ generation: UInt64, ofVersion version: UInt16, in transaction: WriteTransaction
  ) throws(LMDBError) {
    var bytes = littleEndian(generation)
    if version > 1 { bytes += littleEndian(version) }
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(LMDBError) in
      try transaction.setNote(generationNote, to: bytes)
    }
  }

  /// The first serial that was not reserved by anyone.
  static func firstFreeSerial(in transaction: Transaction) throws(StoreError) -> UInt64 {
    let bytes = try note(serialNote, in: transaction)
    guard bytes.count == 8 else {
      throw damaged(serialNote.description, "\(bytes.count) bytes")
    }
    let serial = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    guard 1...ObjectKey.serialMax ~= serial else {
      throw damagedSerial(serial)
    }
    return serial
  }

  /// The counter of serials is a number that no store reserves serials from.
  static func damagedSerial(_ serial: UInt64) -> StoreError {
    damaged(serialNote.description, "\(serial) is not a serial that the store can reserve")
  }

  static func setFirstFreeSerial(
    _ serial: UInt64, in transaction: WriteTransaction
  ) throws(LMDBError) {
    let serial = serial.littleEndian
    try withUnsafeBytes(of: serial) { (bytes) throws(LMDBError) in
      try transaction.setNote(serialNote, to: bytes)
    }
  }

  private static func note(
    _ note: StaticString, in transaction: Transaction
  ) throws(StoreError) -> UnsafeRawBufferPointer {
    let bytes: UnsafeRawBufferPointer?
    do throws(LMDBError) {
      bytes = try transaction.note(note)
    } catch {
      throw StoreError(error, tree: Trees.catalogName)
    }
    guard let bytes else { throw damaged(note.description, "0 bytes") }
    return bytes
  }

  /// - Parameter key: of an entry or a note.
  static func damaged(_ key: String, _ reason: String) -> StoreError {
    .damaged(tree: Trees.catalogName, key: key, reason: reason)
  }

  // MARK: - One entry

  static func bytes(
    _ name: Name, in transaction: Transaction, _ tree: Tree
  ) throws(StoreError) -> [UInt8]? {
    do throws(LMDBError) {
      let key = Array(name.rawValue.utf8)
      return try key.span.bytes.withUnsafeBytes { (key) throws(LMDBError) in
        try transaction.get(key, in: tree).map { [UInt8]($0) }
      }
    } catch {
      throw StoreError(error, tree: Trees.catalogName)
    }
  }

  private static func required(
    _ name: Name, byteCount: Int? = nil, in transaction: Transaction, _ tree: Tree
  ) throws(StoreError) -> [UInt8] {
    guard let bytes = try bytes(name, in: transaction, tree) else {
      throw damaged(name.rawValue, "the entry is missing")
    }
    guard bytes.count == byteCount ?? bytes.count else {
      throw damaged(name.rawValue, "\(bytes.count) bytes")
    }
    return bytes
  }

  private static func decode<T: Decodable>(_ name: Name, _ bytes: [UInt8]) throws(StoreError) -> T {
    guard let value = try? JSONDecoder().decode(T.self, from: Data(bytes)) else {
      throw damaged(name.rawValue, "it cannot be decoded")
    }
    return value
  }

  private static func put(
    _ name: Name, _ bytes: [UInt8], in transaction: WriteTransaction, _ tree: Tree
  ) throws(LMDBError) {
    let key = Array(name.rawValue.utf8)
    try key.span.bytes.withUnsafeBytes { (key) throws(LMDBError) in
      try bytes.span.bytes.withUnsafeBytes { (bytes) throws(LMDBError) in
        try transaction.put(key, bytes, in: tree)
      }
    }
  }

  private static func littleEndian<Integer: FixedWidthInteger>(_ number: Integer) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport

/// Blocks of an index: any bytes are read within their bounds, sound ones as Docs/FileFormat.md,
/// "index entries", says, and a tree that a writer has changed has the objects of a set.
///
/// An input is the first object, 8 bytes, and a block's value.
enum PostingsSubject: Subject {
  static let name = "postings"

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard bytes.count >= 8 else { return }
    let first = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    let value = UnsafeRawBufferPointer(rebasing: bytes[8...])
    var (objects, isWhole) = ([first], false)
    do throws(Postings.Damage) {
      var reader = Postings.Reader(from: first, value)
      while try reader.next() { objects.append(reader.object) }
      isWhole = true
    } catch {}
    let count = try? Postings.count(of: value)
    try require(
      zip(objects, objects.dropFirst()).allSatisfy { $0 < $1 }, "objects of a block do not ascend")
    guard let expected = decode(first, Array(value)) else { return }
    try require(isWhole && objects == expected, "\(objects) were read, \(expected) are there")
    try require(count == expected.count, "\(count ?? -1) were counted, not \(expected.count)")
  }

  /// The objects of a block that follows the rules of the format; nil for others.
  private static func decode(_ first: UInt64, _ value: [UInt8]) -> [UInt64]? {
    guard value.count <= 128, !value.contains(0) else { return nil }
    var objects = [first]
    var (difference, shift) = (0 as UInt128, 0 as UInt128)
    for byte in value {
      guard shift < 70 else { return nil }
      difference |= UInt128(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 != 0 { continue }
      guard let object = UInt64(exactly: UInt128(objects[objects.count - 1]) + difference) else {
        return nil
      }
      objects.append(object)
      (difference, shift) = (0, 0)
    }
    return shift == 0 ? objects : nil
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try probe(exactly: [UInt8](countMax: 150, using: &random))
    case 1, 2:
      var block = [UInt8](repeating: 0, count: 8)
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        var difference = random.next() >> UInt64.random(in: 0..<64, using: &random) | 1
        while difference > 0x7F {
          block.append(UInt8(difference & 0x7F) | 0x80)
          difference >>= 7
        }
        block.append(UInt8(difference))
      }
      if Bool.random(using: &random) { block.mutate(using: &random) }
      try probe(exactly: block)
    default: try compareWithSets(seed: random.next())
    }
  }

  /// Puts entries into a tree and removes them, round after round, beside a set of objects for each
  /// value.
  private static func compareWithSets(seed: UInt64) throws(Finding) {
    do {
      try scratch.environment.writeSync { transaction in
        var random = SeededGenerator(seed: seed)
        let tree = try transaction.makeTree(named: scratch.treeName)
        try transaction.clear(tree)
        try fillOtherIndexes(in: tree, of: transaction, &random)
        var model: [[UInt8]: Set<UInt64>] = [:]
        let range = UInt64(1)...(1 << UInt64.random(in: 4...48, using: &random))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          try change(&model, range, in: tree, of: transaction, &random)
          try compare(model, with: tree, of: transaction)
        }
        transaction.abort()
      }
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("a sound tree was refused: \(error)")
    }
  }

  private static let number = PropertyNumber(rawValue: 2)

  /// Entries below and above those of the index.
  private static func fillOtherIndexes(
    in tree: Tree, of transaction: WriteTransaction, _ random: inout SeededGenerator
  ) throws {
    for number: UInt8 in [1, 3] where Bool.random(using: &random) {
      try [0, number, 1, 0, 1, 0, 0, 0, 0, 0, 1].withUnsafeBytes { key in
        try transaction.put(key, UnsafeRawBufferPointer(start: nil, count: 0), in: tree)
      }
    }
  }

  private static func change(
    _ model: inout [[UInt8]: Set<UInt64>], _ range: ClosedRange<UInt64>, in tree: Tree,
    of transaction: WriteTransaction, _ random: inout SeededGenerator
  ) throws {
    var entries: [[UInt8]: (value: [UInt8], object: UInt64)] = [:]
    for _ in 0..<Int.random(in: 0...300, using: &random) {
      let value = values[Int.random(in: 0..<values.count, using: &random)]
      // Half of them are there already, as far as there are any.
      let known = Bool.random(using: &random) ? model[value]?.min() : nil
      let object = known ?? UInt64.random(in: range, using: &random)
      entries[value + withUnsafeBytes(of: object.bigEndian) { [UInt8]($0) }] = (value, object)
    }
    var writer = try PostingWriter(number, in: tree, named: scratch.treeName, of: transaction)
    for (bytes, entry) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      if Int.random(in: 0..<3, using: &random) == 0 {
        let isThere = try bytes.withUnsafeBytes { try writer.remove($0) }
        let wasThere = model[entry.value]?.remove(entry.object) != nil
        if isThere != wasThere { throw Finding("an object was removed, or not: \(isThere)") }
      } else {
        try bytes.withUnsafeBytes { try writer.put($0) }
        model[entry.value, default: []].insert(entry.object)
      }
    }
    try writer.finish()
  }

  private static func compare(
    _ model: [[UInt8]: Set<UInt64>], with tree: Tree, of transaction: WriteTransaction
  ) throws {
    var found: [[UInt8]: [UInt64]] = [:]
    var cursor = try transaction.cursor(in: tree)
    while try cursor.next() {
      let key = [UInt8](cursor.key)
      guard key.starts(with: [0, 2]) else { continue }
      let first = key.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      guard let objects = decode(first, [UInt8](cursor.value)) else {
        throw Finding("a block that was written breaks the rules: \([UInt8](cursor.value))")
      }
      found[Array(key[2...].dropLast(8)), default: []] += objects
    }
    let expected = model.filter { !$0.value.isEmpty }.mapValues { $0.sorted() }
    if found != expected { throw Finding("the tree has \(found), not \(expected)") }
  }

  /// Values of which none begins with another, as keys of texts.
  private static let values: [[UInt8]] = [
    [0x00], [0x01], [0x61, 0x01], [0x61, 0x61, 0x01], [0x62, 0x01],
    [UInt8](repeating: 0x63, count: 255),
  ]

  // MARK: - A file

  /// A file without a name for the trees of this process.
  private struct Scratch: Sendable {
    let folder: TemporaryDirectory
    let environment: Environment
    let treeName = "i1"

    init() throws {
      folder = try TemporaryDirectory()
      var options = EnvironmentOptions()
      options.durability = .none
      options.createIfMissing = true
      options.byteCountMax = 1 << 30
      environment = try Environment.open(at: folder.file("scratch").path, options: options)
    }
  }

  private static let scratch = orTrap("no scratch file") { try Scratch() }
}

// SPDX-License-Identifier: Apache-2.0
import CStrata
import Foundation
import StrataLMDB
import StrataModel
import StrataRecord

/// Changes of the entries of a store's file, behind its checksums: a record, a chunk of the history
/// and the file's seal get the checksums of their new bytes.
///
/// | bytes of an edit | meaning |
/// | --- | --- |
/// | 0 | the tree, or one of the notes |
/// | 1, 2 | the entry |
/// | 3 | the kind: a bit, a byte, bytes that go or come, an entry that goes, another key |
/// | 4, 5 | the place in the value or key |
/// | 6 | the argument |
struct SealedEdits: Sendable {
  static let editByteCount = 7

  private let script: [UInt8]
  private let schema: Schema

  init(_ script: [UInt8], of schema: Schema) { (self.script, self.schema) = (script, schema) }

  private static let notes: [StaticString] = ["#generation", "#history", "#serial", "#recent"]

  func apply(to url: URL) throws {
    var options = EnvironmentOptions()
    options.durability = .none
    options.isTrusted = true
    let environment = try Environment.open(at: url.path, options: options)
    try environment.writeSync { transaction in
      // LMDB cannot compare the names of notes before it has opened a tree.
      _ = try transaction.tree(named: "catalog")
      let names = try transaction.treeNames()
      var rest = script[...]
      while rest.count >= Self.editByteCount {
        let edit = Array(rest.prefix(Self.editByteCount))
        rest = rest.dropFirst(Self.editByteCount)
        let index = Int(edit[0]) % (names.count + Self.notes.count)
        if index < names.count {
          try apply(edit, toTree: names[index], in: transaction)
        } else {
          try apply(edit, toNote: Self.notes[index - names.count], in: transaction)
        }
      }
    }
  }

  private func apply(
    _ edit: [UInt8], toNote name: StaticString, in transaction: WriteTransaction
  ) throws {
    guard let note = try transaction.note(name) else { return }
    let value = Self.changed([UInt8](note), by: edit)
    try value.withUnsafeBytes { try transaction.setNote(name, to: $0) }
  }

  private func apply(
    _ edit: [UInt8], toTree name: String, in transaction: WriteTransaction
  ) throws {
    guard let tree = try transaction.tree(named: name) else { return }
    let count = try transaction.statistics(of: tree).entryCount
    guard count > 0 else { return }
    let chosen = (Int(edit[1]) | Int(edit[2]) << 8) % Int(count)
    var (key, value): ([UInt8], [UInt8]) = ([], [])
    do {
      var cursor = try transaction.cursor(in: tree)
      for _ in 0...chosen { _ = try cursor.next() }
      (key, value) = ([UInt8](cursor.key), [UInt8](cursor.value))
    }
    switch edit[3] % 16 {
    case 12: _ = try key.withUnsafeBytes { try transaction.delete($0, in: tree) }
    case 13, 14:
      if edit[3] % 16 == 13 { _ = try key.withUnsafeBytes { try transaction.delete($0, in: tree) } }
      key[(Int(edit[4]) | Int(edit[5]) << 8) % key.count] &+= edit[6] | 1
      try put(value, under: key, in: tree, named: name, of: transaction)
    default:
      try put(Self.changed(value, by: edit), under: key, in: tree, named: name, of: transaction)
    }
  }

  private static func changed(_ value: [UInt8], by edit: [UInt8]) -> [UInt8] {
    var value = value
    let place = (Int(edit[4]) | Int(edit[5]) << 8) % (value.count + 1)
    switch edit[3] % 16 {
    case 0..<4 where place < value.count: value[place] ^= 1 << (edit[6] % 8)
    case 4..<7 where place < value.count: value[place] = edit[6]
    case 7 where place < value.count: value[place] &+= 1
    case 8: value.removeLast(value.count - place)
    case 9: value.removeSubrange(place..<min(value.count, place + Int(edit[6]) % 8))
    default:
      value.insert(contentsOf: repeatElement(edit[6], count: 1 + Int(edit[6]) % 4), at: place)
    }
    return value
  }

  private func put(
    _ value: [UInt8], under key: [UInt8], in tree: Tree, named name: String,
    of transaction: WriteTransaction
  ) throws {
    if breaksInvariant(value, inTree: name) { return }
    let sealed = Self.withChecksum(value, under: key, inTree: name)
    try key.withUnsafeBytes { key in
      try sealed.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
    }
  }

  /// Whether a record is readable and breaks an invariant of records all the same. A checked build
  /// would stop there, and other builds go on.
  private func breaksInvariant(_ value: [UInt8], inTree name: String) -> Bool {
    guard name.hasPrefix("r"), let number = UInt16(name.dropFirst()),
      let layout = schema.layout(of: EntityNumber(rawValue: number)),
      value.count > Envelope.byteCount
    else { return false }
    return value.withUnsafeBytes { bytes in
      let record = UnsafeRawBufferPointer(rebasing: bytes[Envelope.byteCount...])
      guard (try? layout.validate(record)) != nil else { return false }
      var arena = RecordArena()
      return layout.invariantBroken(by: arena.append(copying: record)) != nil
    }
  }

  /// Docs/FileFormat.md, "Envelope" and "History".
  private static func withChecksum(
    _ value: [UInt8], under key: [UInt8], inTree name: String
  ) -> [UInt8] {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
    let seed: UInt64
    if name.hasPrefix("r"), let entity = UInt64(name.dropFirst()), key.count == 6 {
      seed = entity << 48 | number(key[...])
    } else if name == "history", key.count == 11, key[0] == 1 {
      seed = number(key[1..<7]) << 16 ^ number(key[7...])
    } else {
      return value
    }
    guard value.count >= 4 else { return value }
    var sealed = value
    let checksum = value.withUnsafeBytes {
      strata_checksum($0.baseAddress! + 4, $0.count - 4, seed)
    }
    sealed.replaceSubrange(..<4, with: withUnsafeBytes(of: checksum.littleEndian) { [UInt8]($0) })
    return sealed
  }
}

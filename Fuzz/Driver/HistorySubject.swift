// SPDX-License-Identifier: Apache-2.0
import CStrata
import Foundation
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport

/// Transactions of the history: any chunks with the right checksums are refused or decoded within
/// their bounds, and sound ones say what Docs/FileFormat.md, "History", says of them.
///
/// An input is chunks without their checksums, each after its length in two bytes.
enum HistorySubject: Subject {
  static let name = "history"

  private static let generation: UInt64 = 7

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var rest = bytes[...]
    var contents: [[UInt8]] = []
    while rest.count >= 2, contents.count < 8 {
      let count = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
      rest = rest.dropFirst(2)
      contents.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let expected = Transaction(contents)
    let chunks = contents.enumerated().map { withChecksum($1, number: $0) }
    let found: StoredHistoryTransaction
    do throws(StoreError) {
      found = try StoredHistoryTransaction(generation: generation, chunks: chunks, schema)
    } catch {
      guard case .damaged = error else { throw Finding("not an error of damage: \(error)") }
      try require(expected == nil, "a sound transaction was refused: \(error)")
      return
    }
    var changes: [Change] = []
    for change in found.changes {
      changes.append(
        Change(
          kind: change.kind.rawValue, entity: UInt64(change.key.entity.rawValue),
          serial: change.key.serial, properties: change.properties.map { UInt64($0.rawValue) },
          tombstone: change.tombstone))
    }
    guard let expected else { return }
    let bits = found.date.timeIntervalSinceReferenceDate.bitPattern
    try require(
      bits == expected.date || found.date.timeIntervalSinceReferenceDate.isNaN,
      "the transaction has another date")
    try require(
      found.author == expected.author && found.contextName == expected.context,
      "the transaction has another author or context")
    try require(changes == expected.changes, "\(changes) were read, not \(expected.changes)")
  }

  private static func withChecksum(_ content: [UInt8], number: Int) -> [UInt8] {
    let checksum = content.withUnsafeBytes {
      strata_checksum($0.baseAddress, $0.count, generation << 16 ^ UInt64(number))
    }
    return withUnsafeBytes(of: checksum.littleEndian) { [UInt8]($0) } + content
  }

  // MARK: - The rules

  private struct Change: Equatable {
    let kind: UInt8
    let entity: UInt64
    let serial: UInt64
    let properties: [UInt64]
    let tombstone: [UInt8]?
  }

  private struct Transaction {
    var date: UInt64
    var author: String?
    var context: String?
    var changes: [Change] = []

    /// - Returns: nil if the chunks break a rule, or have a record of the schema's entity: whether
    ///   that is one is the matter of another subject.
    init?(_ chunks: [[UInt8]]) {
      guard let first = chunks.first, chunks.allSatisfy({ !$0.isEmpty }) else { return nil }
      for (index, chunk) in chunks.enumerated() {
        guard chunk[0] == (index == chunks.count - 1 ? 1 : 0) else { return nil }
      }
      var head = Parts(first.dropFirst())
      guard let date = head.bytes(8), let author = head.text(), let context = head.text() else {
        return nil
      }
      self.date = date.reversed().reduce(0) { $0 << 8 | UInt64($1) }
      (self.author, self.context) = (author, context)
      for (index, chunk) in chunks.enumerated() {
        var parts = index == 0 ? head : Parts(chunk.dropFirst())
        while !parts.rest.isEmpty {
          guard readSection(&parts) else { return nil }
        }
      }
    }

    private mutating func readSection(_ parts: inout Parts) -> Bool {
      guard let kind = parts.bytes(1)?.first, 1...4 ~= kind, let entity = parts.number(),
        entity <= UInt64(UInt16.max)
      else { return false }
      var properties: [UInt64] = []
      if kind == 2 {
        guard let count = parts.number(), count <= 1_000 else { return false }
        for _ in 0..<count {
          guard let property = parts.number(), property <= UInt64(UInt16.max) else { return false }
          properties.append(property)
        }
      }
      guard let count = parts.number(), count <= 100_000 else { return false }
      var serial: UInt64 = 0
      for _ in 0..<count {
        guard let step = parts.number(), step > 0, step < 1 << 48, serial + step < 1 << 48 else {
          return false
        }
        serial += step
        var tombstone: [UInt8]?
        if kind == 4 {
          guard entity != HistorySubject.entity, let count = parts.number(), count < 1 << 20,
            let record = parts.bytes(Int(count))
          else { return false }
          tombstone = record
        }
        changes.append(
          Change(
            kind: kind, entity: entity, serial: serial, properties: properties,
            tombstone: tombstone))
      }
      return true
    }
  }

  /// The parts of a chunk, one after the other.
  private struct Parts {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func bytes(_ count: Int) -> [UInt8]? {
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }

    mutating func number() -> UInt64? {
      guard let end = rest.firstIndex(where: { $0 < 0x80 }), end - rest.startIndex < 10 else {
        return nil
      }
      let groups = rest[...end]
      rest = rest[(end + 1)...]
      return UInt64(
        exactly: groups.reversed().reduce(0 as UInt128) { $0 << 7 | UInt128($1 & 0x7F) })
    }

    mutating func text() -> String?? {
      guard let number = number() else { return nil }
      if number == 0 { return .some(nil) }
      guard number <= 1 << 20, let bytes = bytes(Int(number) - 1) else { return nil }
      return String(validating: bytes, as: UTF8.self).map { .some($0) }
    }
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    var input: [UInt8] = []
    let count = Int.random(in: 1...3, using: &random)
    for index in 0..<count {
      var chunk: [UInt8] = [index == count - 1 ? 1 : 0]
      if index == 0 {
        chunk += [UInt8](uniform: 8, using: &random)
        for _ in 0..<2 { chunk += Bool.random(using: &random) ? [0] : [5] + "émil".utf8.prefix(4) }
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) { chunk += section(&random) }
      if Int.random(in: 0..<4, using: &random) == 0 { chunk.mutate(using: &random) }
      input += [UInt8(chunk.count & 0xFF), UInt8(chunk.count >> 8)] + chunk
    }
    if Int.random(in: 0..<4, using: &random) == 0 { input.mutate(using: &random) }
    try probe(exactly: input)
  }

  private static func section(_ random: inout SeededGenerator) -> [UInt8] {
    func number(_ value: UInt64) -> [UInt8] {
      value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + number(value >> 7)
    }
    let kind = UInt8.random(in: 1...4, using: &random)
    let other = UInt64.random(in: 0...0xFFFF, using: &random)
    var bytes = [kind] + number(Bool.random(using: &random) ? entity : other)
    func count(_ countMax: Int) -> Int { Int.random(in: 0...countMax, using: &random) }
    if kind == 2 {
      let properties = count(4)
      bytes += number(UInt64(properties))
      for _ in 0..<properties { bytes += number(UInt64.random(in: 0...0x7FFF, using: &random)) }
    }
    let objects = count(6)
    bytes += number(UInt64(objects))
    for _ in 0..<objects {
      bytes += number(random.next() >> UInt64.random(in: 14..<64, using: &random) | 1)
      if kind == 4 {
        let record = [UInt8](countMax: 20, using: &random)
        bytes += number(UInt64(record.count)) + record
      }
    }
    return bytes
  }

  // MARK: - A model

  private class Town {
    var name = ""
  }

  /// The number of the entity below.
  private static let entity: UInt64 = 1

  private static let schema: Schema = {
    let town = EntityDescription(
      "Town", class: Town.self,
      properties: [.attribute(AttributeDescription("name", keyPath: \Town.name, type: .string))])
    let model = orTrap("no model") { try ManagedObjectModel(entities: [town]) }
    var numbers = SchemaNumbers()
    numbers.number(model)
    return Schema(model: model, numbers: numbers, store: StoreIdentity(UUID()), version: 1)
  }()
}

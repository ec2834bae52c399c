// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataDump
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport

/// Dumps: any lines at all make a store or a typed error; a JSON text that was read is written and
/// read as the same; and the store of a sound dump dumps to the same objects, values and links, byte
/// for byte after the first time.
///
/// An input is the lines of a dump, behind a byte. If that is even, they are a whole dump. If it is
/// odd, they follow the sound header of `sample`.
enum DumpSubject: Subject {
  static let name = "dump"
  static let weight = 200

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard let first = bytes.first else { return }
    var lines = bytes.dropFirst().split(separator: UInt8(ascii: "\n")).map { Array($0)[...] }
    if first & 1 == 1 { lines.insert(Array(sample.header.utf8)[...], at: 0) }
    for line in lines { try probe(json: line) }
    // The sound header alone makes a store, which takes most of the time.
    _ = try load(lines)
  }

  private static func probe(json line: ArraySlice<UInt8>) throws(Finding) {
    guard let value = try? JSONParser.value(of: line) else { return }
    let again = try? JSONParser.value(of: Array(value.text.utf8)[...])
    try require(again == value, "a JSON text is written as another one")
  }

  /// The dump of the store that lines make; nil if they make none.
  private static func load(_ lines: [ArraySlice<UInt8>]) throws(Finding) -> [String]? {
    let scratch = ScratchStore()
    defer { scratch.remove() }
    do {
      let maker = try StoreMaker(at: scratch.url)
      for line in lines {
        let json = try JSONParser.value(of: line, valueCountMax: DumpItem.valueCountMax)
        try maker.add(DumpItem(json, in: maker.model))
      }
      guard maker.isComplete else { return nil }
      try maker.finish()
      return try dump(scratch.url)
    } catch {
      try require(
        error is DumpMistake || error is JSONParser.Failure || error is StoreError
          || error is QueryError || error is ContextError || error is ModelError,
        "the error \(type(of: error)) is none of a dump: \(error)")
      return nil
    }
  }

  private static func dump(_ url: URL) throws -> [String] {
    let model = try ManagedObjectModel(ofStoreAt: url)
    let coordinator = try PersistentStoreCoordinator(at: url, model: model, durability: .none)
    var lines: [String] = []
    try StoreReader(coordinator).visit { lines.append(try $0.json.text) }
    return lines
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let (items, end) = sample.items(&random)
    if Bool.random(using: &random) {
      var bytes = Array(items.joined(separator: "\n").utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.mutate(using: &random) }
      return try probe(exactly: [1] + bytes + Array("\n\(end)".utf8))
    }
    let lines = [sample.header] + items + [end]
    guard let first = try load(lines.map { Array($0.utf8)[...] }) else {
      throw Finding("a sound dump was refused")
    }
    try require(Set(first) == Set(lines), "a store dumps to other lines than it was made of")
    try require(first.count == lines.count, "a line of a dump is there twice")
    let second = try load(first.map { Array($0.utf8)[...] })
    try require(second == first, "a loaded dump dumps to other bytes")
  }

  // MARK: - A model

  private static let sample = orTrap("no model to dump") { try Sample() }

  /// A model with an attribute of each type and each kind of relationship, and random objects of it
  /// as the lines of a dump.
  private struct Sample: Sendable {
    let header: String
    private static let types = (1...18).compactMap { AttributeType(rawValue: $0) }
    private static let serialMax = 40

    init() throws {
      let nodes = ModelOutline.Entity(
        name: "Node", superentity: nil, isAbstract: false,
        attributes: Self.types.map { type in
          ModelOutline.Attribute(
            name: "\(type)", type: type, isOptional: true, isUnique: false,
            isIndexed: type == .string, isTransient: false, isExternal: type == .data ? true : nil,
            isFullText: nil)
        }.sorted { $0.name < $1.name },
        relationships: [
          ModelOutline.Relationship(
            name: "leaves", kind: .orderedToMany, destination: "Leaf", inverse: "Leaf.nodes"),
          ModelOutline.Relationship(
            name: "parent", kind: .toOne, destination: "Node", inverse: "Node.parts"),
          ModelOutline.Relationship(
            name: "parts", kind: .toMany, destination: "Node", inverse: "Node.parent"),
        ], uniqueTogether: nil, indexes: nil)
      let leaves = ModelOutline.Entity(
        name: "Leaf", superentity: nil, isAbstract: false,
        attributes: [
          ModelOutline.Attribute(
            name: "name", type: .string, isOptional: true, isUnique: false, isIndexed: false,
            isTransient: false, isExternal: nil, isFullText: true)
        ],
        relationships: [
          ModelOutline.Relationship(
            name: "nodes", kind: .toMany, destination: "Node", inverse: "Node.leaves")
        ], uniqueTogether: nil, indexes: nil)
      let model = try ManagedObjectModel(
        ModelOutline(entities: [leaves, nodes]), class: ManagedObject.self)
      var numbers = SchemaNumbers()
      numbers.number(model)
      guard
        let blueprint = StoreBlueprint(
          uuid: UUID(), model: model, numbers: numbers,
          formerNames: FormerNames(newStoreOf: model),
          firstFreeSerial: UInt64(Self.serialMax) + 1, stage: 7, values: ["a": Data([1])])
      else { throw CocoaError(.coderInvalidValue) }
      header = try DumpItem.header(blueprint).json.text
    }

    /// The lines of random objects and their links, and the last line.
    func items(_ random: inout SeededGenerator) -> (lines: [String], end: String) {
      var lines: [DumpItem] = []
      var serials = Array(1...UInt64(Self.serialMax))
      serials.shuffle(using: &random)
      let leaves = serials.prefix(Int.random(in: 0...6, using: &random)).sorted()
        .map { DumpedID(entity: "Leaf", serial: $0) }
      let nodes = serials.dropFirst(leaves.count).prefix(Int.random(in: 0...6, using: &random))
        .sorted().map { DumpedID(entity: "Node", serial: $0) }
      for leaf in leaves {
        lines.append(.object(leaf, [("name", .string("leaf"))]))
      }
      for node in nodes { lines.append(.object(node, values(&random))) }
      for node in nodes {
        if let parent = nodes.randomElement(using: &random), Bool.random(using: &random) {
          lines.append(.targets(node, [("parent", parent)]))
        }
        let members = leaves.shuffled(using: &random)
          .prefix(Int.random(in: 0...leaves.count, using: &random))
        if !members.isEmpty {
          lines.append(.members(node, property: "leaves", Array(members)))
        }
      }
      let end = DumpItem.end(objectCount: leaves.count + nodes.count)
      return (lines.compactMap { try? $0.json.text }, (try? end.json.text) ?? "")
    }

    private func values(
      _ random: inout SeededGenerator
    ) -> [(name: String, value: PropertyValue)] {
      var values: [(name: String, value: PropertyValue)] = []
      for type in Self.types.sorted(by: { "\($0)" < "\($1)" }) where Bool.random(using: &random) {
        let bytes = [UInt8](countMax: 24, using: &random)
        let value = PropertyValue(.attribute(type), from: bytes[...])
        if value != .null { values.append(("\(type)", value)) }
      }
      return values
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private struct Place: Codable, Hashable, Sendable {
  var name: String
  var row: Int

  init(_ name: String, _ row: Int) { (self.name, self.row) = (name, row) }
}

/// Values with and without an order of their own, at several depths.
private struct Plan: Codable, Hashable, Sendable {
  var tags: Set<String> = []
  var groups: Set<Set<Int>> = []
  var seats: [Place: [String]] = [:]
  var guests: [String: Set<Place>] = [:]
  var stops: [Set<Place>] = []
  var next: Set<Double>?
  var order: [String] = []
}

/// A tree whose levels are sets: each element is encoded once.
private struct Tree: Codable, Hashable, Sendable {
  var name: Int
  var children: Set<Tree> = []

  static func chain(_ depth: Int) -> Tree {
    (0..<depth).reduce(Tree(name: depth)) { Tree(name: $1, children: [$0, Tree(name: -$1 - 1)]) }
  }
}

private class Base: Codable {
  var id = 7

  init() {}
}

private final class Derived: Base {
  var tags: Set<String> = []

  init(tags: Set<String>) {
    self.tags = tags
    super.init()
  }

  enum Keys: String, CodingKey { case tags }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    tags = try container.decode(Set<String>.self, forKey: .tags)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(tags, forKey: .tags)
    try super.encode(to: container.superEncoder())
  }
}

/// All that encoders treat in a way of their own.
private struct Everything: Codable, Equatable {
  enum Kind: Codable, Equatable {
    case plain
    case named(String, row: Int?)
  }
  enum Raw: String, Codable { case one, two }

  var text = "a\"/\u{1F600}\n\u{1}é"
  var date = Date(timeIntervalSinceReferenceDate: 0.1)
  var data = Data([0, 1, 255])
  var url = URL(string: "https://example.org/a?b=c")!
  var decimal = Decimal(string: "12345678901234567890.123")!
  var id = UUID(uuidString: "4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1")!
  var numbers: [Double] = [0.1, -0, 1e300, .infinity, -.infinity]
  var small: [Int8] = [-128, 127]
  var large = UInt64.max
  var float: Float = 0.1
  var missing: Int?
  var optionals: [Int?] = [1, nil, 3]
  var dates: [Date?] = [nil, Date(timeIntervalSinceReferenceDate: 5)]
  var names = ["b": [1: "x", 2: "y"], "a": [:]]
  var urls = [URL(string: "https://example.org")!: 1]
  var kinds: [Kind] = [.plain, .named("a", row: nil), .named("b", row: 3)]
  var raws: [Raw] = [.two, .one]
  var decimals: [String: Decimal] = ["x": 1.5]
  var nested = [[[true]], [], [[false, true]]]
  var bytes: [Data] = [Data(), Data([9])]
  var empty: [String] = []
  var range = 1...5
}

/// An equal set that has its elements in another order.
private func shuffled<Element: Hashable>(
  _ set: Set<Element>, _ random: inout SeededGenerator
) -> Set<Element> {
  // The order depends on the room that the set was made with.
  var other = Set<Element>(minimumCapacity: Int.random(in: 0...2_000, using: &random))
  for element in set.shuffled(using: &random) { other.insert(element) }
  return other
}

private func shuffled<Key: Hashable, Value>(
  _ values: [Key: Value], _ random: inout SeededGenerator
) -> [Key: Value] {
  var other = [Key: Value](minimumCapacity: Int.random(in: 0...2_000, using: &random))
  for (key, value) in values.shuffled(using: &random) { other[key] = value }
  return other
}

extension Plan {
  fileprivate init(_ random: inout SeededGenerator) {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func places() -> Set<Place> {
      Set((0..<number(0...8)).map { _ in Place("p\(number(0...20))", number(0...3)) })
    }
    tags = Set((0..<number(0...30)).map { _ in "t\(number(0...99))" })
    groups = Set(
      (0..<number(0...6)).map { _ in Set((0..<number(0...9)).map { _ in number(0...99) }) })
    for place in places() { seats[place] = ["a", "b\(place.row)"] }
    for name in ["x", "y", "z"] { guests[name] = places() }
    stops = (0..<number(0...3)).map { _ in places() }
    next = number(0...1) == 0 ? nil : [0.5, 1.5, .infinity]
    order = tags.shuffled(using: &random)
  }

  /// An equal value, whose sets and dictionaries have other orders.
  fileprivate func rebuilt(_ random: inout SeededGenerator) -> Plan {
    var other = self
    other.tags = shuffled(tags, &random)
    other.groups = shuffled(Set(groups.map { shuffled($0, &random) }), &random)
    other.seats = shuffled(seats, &random)
    other.guests = guests.mapValues { shuffled($0, &random) }
    other.stops = stops.map { shuffled($0, &random) }
    other.next = next.map { shuffled($0, &random) }
    return other
  }
}

private func plainEncoder() -> JSONEncoder {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  return encoder
}

@Suite struct `The bytes of an encoded value` {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `are equal for equal values, whatever order their sets and dictionaries have`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let plan = Plan(&random)
      let other = plan.rebuilt(&random)
      try #require(plan == other)
      let (one, two) = (try _CodableCoding.encode(plan), try _CodableCoding.encode(other))
      #expect(one == two, "seed \(seed)")
      #expect(try _CodableCoding.decode(Plan.self, from: one) == plan, "seed \(seed)")
      var changed = plan
      changed.tags.insert("new")
      #expect(try _CodableCoding.encode(changed) != one)
    }
  }

  @Test func `of a set or a dictionary by itself are equal, too`() throws {
    var random = SeededGenerator(seed: 3)
    let set = Set((0..<200).map { "\($0)" })
    let pairs = Dictionary(uniqueKeysWithValues: (0..<200).map { (Place("p", $0), $0) })
    #expect(
      try _CodableCoding.encode(set) == _CodableCoding.encode(shuffled(set, &random)))
    #expect(
      try _CodableCoding.encode(pairs) == _CodableCoding.encode(shuffled(pairs, &random)))
    let text = try String(decoding: _CodableCoding.encode(Set([10, 9, 1])), as: UTF8.self)
    #expect(text == "[1,10,9]")
    let derived = Derived(tags: set)
    let other = Derived(tags: shuffled(set, &random))
    #expect(try _CodableCoding.encode(derived) == _CodableCoding.encode(other))
  }

  @Test func `are those of the encoder of Foundation for a value without sets`() throws {
    let value = Everything()
    let data = try _CodableCoding.encode(value)
    #expect(
      try String(decoding: data, as: UTF8.self)
        == String(decoding: plainEncoder().encode(value), as: UTF8.self))
    #expect(try _CodableCoding.decode(Everything.self, from: data) == value)
    func same<Value: Encodable>(_ value: Value) throws {
      #expect(try _CodableCoding.encode(value) == plainEncoder().encode(value))
    }
    try same(5)
    try same("text")
    try same(nil as Int?)
    try same(Date(timeIntervalSinceReferenceDate: 1))
    try same([Date(timeIntervalSinceReferenceDate: 1)])
    try same(["b": 1, "a": 2])
    try same(Base())
    try same([Derived(tags: [])])
    try same(Set(["one"]))
    try same([Place("a", 1): 5])
  }

  @Test func `of nested sets are made in one pass`() throws {
    // Encoding each level twice would double the time with each of the 40 levels.
    let tree = Tree.chain(40)
    let data = try _CodableCoding.encode(tree)
    #expect(try _CodableCoding.decode(Tree.self, from: data) == tree)
  }

  @Test func `may contain any text`() throws {
    let value = [Set(["\u{1}0\u{1}", "\"\\", "§0§", "0", "1"]): ["[]", "\u{0}"]]
    let data = try _CodableCoding.encode(value)
    #expect(try _CodableCoding.decode([Set<String>: [String]].self, from: data) == value)
  }

  @Test func `that a former release has stored in another order stay when the value is set again`()
    throws
  {
    let layout = makeLayout([.attribute(.codable)])
    let value = Set((0..<20).map { "e\($0)" })
    let former = try plainEncoder().encode(value.sorted(by: >))
    let record = makeRecord([.codable(former)], layout)
    layout.withDraft(of: record) { draft in
      #expect(!draft.set(_CodableBox(value), at: 0))
      #expect(draft.changed.isEmpty)
    }
    layout.withDraft(of: record) { draft in
      #expect(draft.set(_CodableBox(value.subtracting(["e0"]).union(["0e"])), at: 0))
    }
    // An array has an order.
    layout.withDraft(of: record) { draft in
      #expect(draft.set(_CodableBox(value.sorted()), at: 0))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataTestSupport
import Testing

@Suite struct `A JSON text` {
  private func value(_ text: String) -> JSONValue? {
    Array(text.utf8).withUnsafeBytes { JSONValue($0) }
  }

  @Test func `is read with all that is in it`() {
    #expect(
      value(" {\"a\" : [1, -20,true,false , null, \"\"], \"b\":{}, \"c\":[]}\n")
        == .object([
          JSONValue.Member(
            name: "a",
            value: .array([.number(1), .number(-20), .bool(true), .bool(false), .null, .string("")])
          ),
          JSONValue.Member(name: "b", value: .object([])),
          JSONValue.Member(name: "c", value: .array([])),
        ]))
    #expect(value("9223372036854775807") == .number(.max))
    #expect(value("-9223372036854775808") == .number(.min))
  }

  @Test func `has escapes and any script in its strings`() {
    let text = #""\"\\\/\b\f\n\r\t \u00e9\u20AC\ud83D\ude00 شهر""#
    #expect(value(text) == .string("\"\\/\u{8}\u{C}\n\r\t é€😀 شهر"))
  }

  @Test(arguments: [
    "", " ", "{", "[", "]", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "\"",
    "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
    "\"\\udc00\"", "\"\n\"", "01", "-", "1.5", "9223372036854775808", "tru", "nul", "1 2",
  ])
  func `is refused if it is none`(text: String) {
    #expect(value(text) == nil)
  }

  @Test func `is refused if its strings are not UTF-8, or if it is too deep`() {
    for byte in [0x80, 0xC0, 0xFF] as [UInt8] {
      let isRead = [0x22, byte, 0x22].withUnsafeBytes { JSONValue($0) != nil }
      #expect(!isRead)
    }
    #expect(value(String(repeating: "[", count: 100_000)) == nil)
    let deep = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
    #expect(value(deep) == nil)
  }
}

/// Outlines are read as Foundation's decoder reads them, and damaged ones are taken for nothing, or for
/// what it takes them for.
@Suite struct `An outline read from JSON` {
  private static func name(_ random: inout SeededGenerator) -> String {
    let letters = ["a", "Z", "_", "é", "\"", "\\", "/", "\n", "\u{1}", "😀", "ش", "0"]
    return (0..<Int.random(in: 0...5, using: &random))
      .map { _ in letters[Int.random(in: letters.indices, using: &random)] }.joined()
  }

  private static func list<Element>(
    _ random: inout SeededGenerator, _ element: (inout SeededGenerator) -> Element
  ) -> [Element] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in element(&random) }
  }

  private static func entity(_ random: inout SeededGenerator) -> [String: Any] {
    var entity: [String: Any] = [
      "name": name(&random), "isAbstract": Bool.random(using: &random),
      "attributes": list(&random) { random in
        var attribute: [String: Any] = [
          "name": name(&random), "type": Int.random(in: 0...19, using: &random) % 18 + 1,
        ]
        for flag in ["isOptional", "isUnique", "isIndexed", "isTransient"] {
          attribute[flag] = Bool.random(using: &random)
        }
        if Bool.random(using: &random) { attribute["isExternal"] = true }
        return attribute
      },
      "relationships": list(&random) { random in
        var relationship: [String: Any] = [
          "name": name(&random), "kind": Int.random(in: 1...3, using: &random),
          "destination": name(&random),
        ]
        if Bool.random(using: &random) { relationship["inverse"] = name(&random) }
        return relationship
      },
    ]
    if Bool.random(using: &random) { entity["superentity"] = name(&random) }
    for lists in ["uniqueTogether", "indexes"] where Bool.random(using: &random) {
      entity[lists] = list(&random) { list(&$0) { name(&$0) } }
    }
    return entity
  }

  private static func read(_ text: [UInt8]) -> ModelOutline? {
    text.withUnsafeBytes { JSONValue($0) }.flatMap { ModelOutline($0) }
  }

  @Test func `may name an entity twice, and is compared all the same`() throws {
    let entity = #"{"name":"A","isAbstract":false,"attributes":[],"relationships":[]}"#
    let twice = try #require(Self.read(Array(#"{"entities":[\#(entity),\#(entity)]}"#.utf8)))
    let none = try #require(Self.read(Array(#"{"entities":[]}"#.utf8)))
    #expect(twice.differences(from: none).count == 1)
    #expect(none.differences(from: twice).count == 1)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `is what Foundation reads, damaged or not, and is written as Foundation writes it`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let text = [UInt8](
      try JSONSerialization.data(
        withJSONObject: ["entities": Self.list(&random, Self.entity)], options: .sortedKeys))
    let outline = try JSONDecoder().decode(ModelOutline.self, from: Data(text))
    #expect(Self.read(text) == outline, "seed \(seed)")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(outline.text == [UInt8](try encoder.encode(outline)), "seed \(seed)")
    for _ in 0..<100 {
      var damaged = text
      damaged[Int.random(in: damaged.indices, using: &random)] = .random(
        in: 0...255, using: &random)
      guard let read = Self.read(damaged) else { continue }
      let expected = try? JSONDecoder().decode(ModelOutline.self, from: Data(damaged))
      #expect(read == expected, "seed \(seed): \(String(decoding: damaged, as: UTF8.self))")
    }
  }
}

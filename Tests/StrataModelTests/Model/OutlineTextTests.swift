// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataTestSupport
import Testing

@Suite struct `The text of an outline` {
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

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `equals the output of Foundation's encoder`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let text = try JSONSerialization.data(
      withJSONObject: ["entities": Self.list(&random, Self.entity)], options: .sortedKeys)
    let outline = try JSONDecoder().decode(ModelOutline.self, from: text)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(outline.text == [UInt8](try encoder.encode(outline)), "seed \(seed)")
  }
}

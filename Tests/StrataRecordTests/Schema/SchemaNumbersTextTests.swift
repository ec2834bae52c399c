// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataRecord
import Testing

@Suite struct `The text of a store's numbers` {
  @Test func `equals the output of Foundation's encoder`() throws {
    let names = ["b", "a10", "a2", "B", "é", "a/\"b\\", "\u{1}", "😀", "\u{FF5E}", "شهر", "Z_"]
    let members = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    let json = try JSONSerialization.data(withJSONObject: [
      "entities": members, "lastEntity": 11, "lastProperty": 110,
      "properties": members.mapValues { _ in members },
    ])
    let numbers = try JSONDecoder().decode(SchemaNumbers.self, from: json)
    #expect(numbers.properties.count == names.count)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(numbers.text == [UInt8](try encoder.encode(numbers)))
    #expect(SchemaNumbers().text == [UInt8](try encoder.encode(SchemaNumbers())))
  }
}

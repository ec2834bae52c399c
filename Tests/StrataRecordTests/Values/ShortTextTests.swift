// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord
import Testing

@Suite struct `A short text` {
  private let layout = makeLayout([.attribute(.string)])

  private func read(_ text: String) throws -> String {
    let record = makeRecord([.string(text)], layout)
    return try #require(record.value(at: 0, layout) as String?)
  }

  @Test(arguments: 0...40)
  func `is read as it was written, whatever its length`(count: Int) throws {
    let text = String(
      decoding: (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }, as: UTF8.self)
    let found = try read(text)
    #expect(found == text)
    #expect(found.hashValue == text.hashValue)
    #expect(Array(found.utf8) == Array(text.utf8))
    #expect(found.count == count)
    // It can be worked on like any other.
    #expect(found + "z" == text + "z")
    #expect(found.uppercased().lowercased() == text)
  }

  @Test(arguments: 1...16)
  func `may have other letters than those of ASCII at any place`(count: Int) throws {
    for place in 0..<count {
      var letters = [Character](repeating: "x", count: count)
      letters[place] = "é"
      let text = String(letters)
      let found = try read(text)
      #expect(found == text)
      #expect(Array(found.utf8) == Array(text.utf8))
      #expect(found.count == count)
    }
  }

  @Test(arguments: 1...16)
  func `of damaged bytes reads with a replacement character for invalid UTF-8`(count: Int) throws {
    let sound = makeRecord([.string(String(repeating: "x", count: count))], layout)
    for place in 0..<count {
      var arena = RecordArena()
      let damaged = sound.withUnsafeBytes { bytes in
        arena.append(byteCount: bytes.count) { copy in
          copy.copyMemory(from: bytes)
          copy[bytes.count - count + place] = 0xFF
        }
      }
      var letters = [Character](repeating: "x", count: count)
      letters[place] = "\u{FFFD}"
      #expect(damaged.value(at: 0, layout) == String(letters))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import Testing

@Suite struct `An envelope` {
  private let layout = makeLayout([.attribute(.string), .attribute(.int16)])
  private let key = ObjectKey(entity: EntityNumber(rawValue: 2), serial: 7)

  private func encoded(generation: UInt64) -> [UInt8] {
    let record = makeRecord([.string("Ada"), .int(36)], layout)
    var bytes = [UInt8](repeating: 0xEE, count: Envelope.byteCount(for: record))
    bytes.withUnsafeMutableBytes {
      Envelope.encode(record: record, generation: generation, key: key, into: $0)
    }
    return bytes
  }

  @Test func `has the bytes that the format's description shows`() {
    #expect(
      hex(encoded(generation: 0x0102)) == """
        A8 A4 F1 50 02 01 00 00 00 00 01 00 03 24 00 03 00 41 64 61
        """)
  }

  @Test(arguments: [0, 1, 0xFFFF_FFFF, Envelope.generationMax])
  func `gives generation and record back`(generation: UInt64) throws {
    let bytes = encoded(generation: generation)
    try bytes.withUnsafeBytes { bytes in
      let found = try Envelope.decode(bytes, key: key)
      #expect(found.generation == generation)
      try layout.validate(found.record)
      #expect(layout.slot(1, at: found.record.baseAddress!).isPresent)
    }
  }

  @Test func `refuses each flipped bit, each other length and another key`() {
    let sound = encoded(generation: 77)
    for bit in 0..<(sound.count * 8) {
      var bytes = sound
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: RecordError.self) {
        try bytes.withUnsafeBytes { _ = try Envelope.decode($0, key: key) }
      }
    }
    for count in 0..<sound.count {
      #expect(throws: RecordError.self) {
        try sound[..<count].withUnsafeBytes { _ = try Envelope.decode($0, key: key) }
      }
    }
    #expect(throws: RecordError.self) {
      try sound.withUnsafeBytes { _ = try Envelope.decode($0, key: ObjectKey(rawValue: 1)) }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord
import Testing

private let sentence =
  "I1 In every record an absent slot's fixed bytes are zero and its variable part is empty"

/// A record with these bytes, which no draft has written.
private func record(_ bytes: [UInt8]) -> Record {
  var arena = RecordArena()
  return bytes.withUnsafeBytes { arena.append(copying: $0) }
}

/// A planted violation of the invariant that a record's bytes can break. Places (I2) are made by
/// one initializer and cannot be planted.
@Suite struct `Stated invariants of records` {
  @Test func `stop bytes of a number that is absent`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let layout = makeLayout([.attribute(.int8)])
      let good = makeRecord([.null], layout)
      RecordLayout.requireNone(layout.invariantBroken(by: good))
      let bad = record(bytes(good).dropLast() + [1])
      RecordLayout.requireNone(layout.invariantBroken(by: bad))
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains(sentence) == true)
  }

  @Test func `stop wide end offsets that need not be wide`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let layout = makeLayout([.attribute(.string)])
      // Version 1 with wide offsets, the presence bit, an end offset of 4 bytes, "s".
      let bad = record([1, 0x80, 1, 1, 0, 0, 0, 0x73])
      RecordLayout.requireNone(layout.invariantBroken(by: bad))
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains(sentence) == true)
  }
}

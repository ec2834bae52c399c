// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord
import StrataTestSupport

/// Keys of texts with a planted mistake, which a run must find: the byte 02 is not escaped. A text
/// with the scalar 2 is then before one with the scalar 0 in its place.
///
/// It is no part of a run of all subjects. `fuzz canary` fails, as with any finding; a run that
/// succeeds shows that the fuzzer finds nothing.
enum CanarySubject: Subject {
  static let name = "canary"

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard let first = bytes.first else { return }
    let content = Array(bytes.dropFirst())
    let middle = content.count * Int(first) / 256
    let kind = SlotKind.attribute(.string)
    try KeysSubject.compare(
      [PropertyValue(kind, from: content[..<middle])],
      [PropertyValue(kind, from: content[middle...])], [kind], encode: mistakenKey)
  }

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let left = [UInt8](countMax: 12, using: &random)
    var right = left
    right.mutate(using: &random)
    let middle = UInt8(clamping: 256 * left.count / max(1, left.count + right.count))
    try probe(exactly: [middle] + left + right)
  }

  private static func mistakenKey(
    of value: PropertyValue, _ kind: SlotKind, into key: inout [UInt8]
  ) {
    guard case .string(let text) = value else {
      KeyEncoder.append(value: value, kind: kind, to: &key)
      return
    }
    for byte in NormalForm.bytes(of: text, byteCountMin: .max) {
      if byte < 2 { key += [2, byte + 1] } else { key.append(byte) }
    }
    key.append(1)
  }
}

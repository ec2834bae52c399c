// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// Random numbers that bytes decide, one byte each; behind their end, the numbers of a seed. So any
/// bytes are a history of random work, and a fuzzer that changes a byte changes one decision.
struct ByteGenerator: RandomNumberGenerator {
  private var bytes: ArraySlice<UInt8>
  private var rest = SeededGenerator(seed: 0)

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes)[...] }

  mutating func next() -> UInt64 {
    bytes.popFirst().map { UInt64($0) * 0x0101_0101_0101_0101 } ?? rest.next()
  }
}

// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// Random bytes, and random changes of bytes: what subjects make their inputs of.
extension [UInt8] {
  /// Any bytes; half of the time mostly small ones and those at limits.
  init(countMax: Int, using random: inout SeededGenerator) {
    let isTame = Bool.random(using: &random)
    self = (0..<Int.random(in: 0...countMax, using: &random)).map { _ in
      isTame
        ? [0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &random)!
        : UInt8.random(in: 0...255, using: &random)
    }
  }

  /// Any bytes, each as likely as every other.
  init(uniform count: Int, using random: inout SeededGenerator) {
    self = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Changes one to four places: a bit, a byte, bytes that are put in, taken out or repeated.
  mutating func mutate(using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0...count, using: &random)
      let end = Swift.min(count, index + Int.random(in: 1...8, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<2 where index < count: self[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2..<4 where index < count:
        self[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
      case 4 where index < count: self[index] &+= Bool.random(using: &random) ? 1 : 255
      case 5: insert(contentsOf: [UInt8](countMax: 8, using: &random), at: index)
      case 6: removeSubrange(index..<end)
      default: insert(contentsOf: self[index..<end], at: index)
      }
    }
  }
}

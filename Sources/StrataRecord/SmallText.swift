// SPDX-License-Identifier: Apache-2.0

/// Short texts of ASCII as Strings.
///
/// Most texts in records are short, and a String has up to 15 bytes in itself. To decode such a one takes
/// the standard library longer than all else that a getter does, because it goes through the bytes one by
/// one, and twice. Here they are taken in two words:
///
/// ```
///  word 0                  word 1
///  ┌───────────────────────┬─────────────────────────────┐
///  │ bytes 0 … 7           │ bytes 8 … 14 │ 0xE0 + count │     zeros behind the text
///  └───────────────────────┴─────────────────────────────┘
/// ```
///
/// That is how a String lies in memory on 64-bit machines, where it is part of Swift's stable binary
/// interface (Swift: StringObject.swift). It is not taken on trust: `isKnown` compares it once with Strings
/// that the library has made. Where it is another, all texts are decoded by the library.
@usableFromInline
enum SmallText {
  /// The words of a String; nil if the bytes are too many, or not all ASCII.
  @inlinable
  @inline(__always)
  static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
    let count = bytes.count
    guard count < 16, let start = bytes.baseAddress else { return nil }
    var low: UInt64 = 0
    var high: UInt64 = 0
    if count >= 8 {
      low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
      // The last eight, without those of them that are in the first word.
      let end = UInt64(littleEndian: (start + (count &- 8)).loadUnaligned(as: UInt64.self))
      high = end >> UInt64((16 &- count) &* 8)
    } else if count >= 4 {
      low = UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
      let end = UInt32(littleEndian: (start + (count &- 4)).loadUnaligned(as: UInt32.self))
      low |= UInt64(end) &<< UInt64((count &- 4) &* 8)
    } else {
      for index in 0..<count {
        low |= UInt64(start.load(fromByteOffset: index, as: UInt8.self)) &<< UInt64(index &* 8)
      }
    }
    if (low | high) & 0x8080_8080_8080_8080 != 0 { return nil }
    return (low, high | UInt64(0xE0 | count) &<< 56)
  }

  /// Whether Strings lie in memory as is assumed here.
  @usableFromInline static let isKnown: Bool = {
    guard MemoryLayout<String>.size == 16, UInt16(1).littleEndian == 1 else { return false }
    let letters = Array("abcdefghijklmno".utf8)
    return (0...letters.count).allSatisfy { count in
      letters[..<count].withUnsafeBytes { bytes in
        // Safety: both are 16 bytes, and nothing is done with the words but to compare them.
        let made = unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
        return words(bytes).map { $0 == made } ?? false
      }
    }
  }()
}

extension String {
  /// The text that UTF-8 bytes are; those that are none read as U+FFFD.
  @inlinable
  @inline(__always)
  init(utf8 bytes: UnsafeRawBufferPointer) {
    if let words = SmallText.words(bytes), SmallText.isKnown {
      // Safety: `isKnown`. Such a String refers to no memory that would have to be counted.
      self = unsafeBitCast(words, to: String.self)
    } else {
      // Safety: bytes are bytes.
      self.init(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The entries in an index range that certainly satisfy the condition, so that their records need
/// not be read.
enum Certainty: Sendable, Hashable {
  case all
  /// Entries with a text that ends after the given bytes, or continues with a printable ASCII
  /// character, which begins a new character. Otherwise a combining mark may follow.
  case ending(afterByteCount: Int)
  case none

  /// Returns the certainty of the union or the intersection of two ranges. It remains only if both
  /// ranges test the bytes of an entry in the same way.
  func and(_ other: Certainty) -> Certainty {
    switch (self, other) {
    case (.all, _): other
    case (_, .all): self
    default: self == other ? self : .none
    }
  }

  /// Whether the entry certainly satisfies the condition.
  ///
  /// - Parameter value: the entry without its object key.
  func holds(of value: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .all: true
    case .none: false
    case .ending(let count): count < value.count && (value[count] == 1 || value[count].isPrintable)
    }
  }
}

extension UInt8 {
  /// Whether the byte is a printable ASCII character.
  var isPrintable: Bool { (0x20...0x7E).contains(self) }
}

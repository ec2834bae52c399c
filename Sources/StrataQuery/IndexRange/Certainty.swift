// SPDX-License-Identifier: Apache-2.0

/// Which entries in an index range satisfy the condition for certain, so that no record has to be read.
enum Certainty: Sendable, Hashable {
  case all
  /// Those whose text ends after the given bytes, or goes on with a printable ASCII character, which
  /// begins a character of its own. Elsewhere a combining mark may follow.
  case ending(afterByteCount: Int)
  case none

  /// Of entries that are in two ranges, or in one of two: the bytes are looked at in the same way.
  func and(_ other: Certainty) -> Certainty {
    switch (self, other) {
    case (.all, _): other
    case (_, .all): self
    default: self == other ? self : .none
    }
  }

  /// Whether the entry satisfies the condition for certain.
  ///
  /// - Parameter value: the entry without its object.
  func holds(of value: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .all: true
    case .none: false
    case .ending(let count): count < value.count && (value[count] == 1 || value[count].isPrintable)
    }
  }
}

extension UInt8 {
  /// Whether it is a printable character of ASCII, which stands for itself.
  var isPrintable: Bool { (0x20...0x7E).contains(self) }
}

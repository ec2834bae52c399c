// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives

/// The name of a section of one list. Two sections are the same if they are the same instance: so
/// names are compared once, when a list is made, and not at each step through it.
///
/// ## Isolation
/// Sendable: constant.
package final class SectionName: Sendable {
  /// The section's name; nil for the objects without a value, and in a list without sections.
  let name: String?

  package init(_ name: String?) { self.name = name }
}

/// One object of a fetched list: its key, and the values that determine its position.
package struct ResultEntry: Sendable {
  let key: ObjectKey
  /// Bytes whose order is the order of the list. Objects with equal bytes are in the order of their
  /// keys, as in a fetch.
  let order: [UInt8]
  let section: SectionName

  package init(key: ObjectKey, order: [UInt8], section: SectionName) {
    self.key = key
    self.order = order
    self.section = section
  }

  func precedes(_ other: ResultEntry) -> Bool {
    let difference = order.withUnsafeBytes { left in
      other.order.withUnsafeBytes { left.order(to: $0) }
    }
    if difference != 0 { return difference < 0 }
    return key < other.key
  }

  /// Whether both are at the same place of the same section.
  func isPlaced(as other: ResultEntry) -> Bool {
    section === other.section && order == other.order
  }
}

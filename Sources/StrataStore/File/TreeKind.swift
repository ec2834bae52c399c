// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The kinds of an entity's trees. The name of a tree is the letter of its kind and the entity's
/// number: `r12`. `Trees` has the content of each.
enum TreeKind: String, CaseIterable {
  case records = "r"
  case entries = "i"
  case external = "x"

  /// The name of an entity's tree.
  func name(of entity: EntityNumber) -> String { rawValue + String(entity.rawValue) }

  /// The entity of the tree with a name; nil if the name is of no entity's tree.
  static func entity(ofTree name: String) -> EntityNumber? {
    guard allCases.contains(where: { name.hasPrefix($0.rawValue) }) else { return nil }
    return UInt16(name.dropFirst()).map(EntityNumber.init(rawValue:))
  }
}

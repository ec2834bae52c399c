// SPDX-License-Identifier: Apache-2.0
import Strata

/// The one kind of object of recorded histories: two registers, each with the version that its
/// version has replaced.
@Entity final class Cell: ManagedObject {
  @Attribute(.indexed) var number: Int
  var left: Int = 0
  var leftFormer: Int = 0
  var right: Int = 0
  var rightFormer: Int = 0
}

/// One of the two registers of a cell.
struct Field: Hashable, Sendable {
  /// The number of the cell.
  let cell: Int
  let isLeft: Bool

  func register(at level: String) -> Register {
    Register("\(cell).\(isLeft ? "left" : "right")", at: level)
  }
}

extension Cell {
  subscript(_ field: Field) -> (version: Version, former: Version) {
    get { field.isLeft ? (left, leftFormer) : (right, rightFormer) }
    set {
      if field.isLeft {
        (left, leftFormer) = newValue
      } else {
        (right, rightFormer) = newValue
      }
    }
  }
}

/// The cells of a store, by the contexts that write them.
struct CellRanges: Sendable {
  let treeCount: Int

  /// Written by contexts on coordinators under `.error`, and by batches.
  let shared = 0..<4
  /// Written by contexts on coordinators under another policy.
  let loose = 4..<6
  /// The number of all cells.
  var count: Int { 6 + 4 * treeCount }

  /// Written by the children of a tree's root.
  func upper(_ tree: Int) -> Range<Int> { 6 + 4 * tree..<8 + 4 * tree }
  /// Written by the grandchildren of a tree's root.
  func lower(_ tree: Int) -> Range<Int> { 8 + 4 * tree..<10 + 4 * tree }

  static func fields(_ cells: Range<Int>) -> [Field] {
    cells.flatMap { [Field(cell: $0, isLeft: true), Field(cell: $0, isLeft: false)] }
  }
}

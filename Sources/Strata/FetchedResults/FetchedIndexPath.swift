// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The place of an object in a fetched list: which section, and which object of that.
///
/// It is a type of its own because Foundation's `IndexPath` has neither `section` nor `item`
/// outside of Apple's user interface frameworks, and takes an allocation. `indexPath` converts it.
public struct FetchedIndexPath: Sendable, Hashable, Codable {
  /// The object's index in its section.
  public var item: Int
  /// The index of the section in the list.
  public var section: Int

  /// Makes the place of the object at index `item` of the section at index `section`. Both count
  /// from 0, and neither is checked.
  public init(item: Int, section: Int) {
    self.item = item
    self.section = section
  }

  /// The index path in Foundation's form: [section, item].
  public var indexPath: IndexPath { IndexPath(indexes: [section, item]) }

  /// The place of Foundation's index path; nil unless it has two indexes.
  public init?(_ indexPath: IndexPath) {
    guard indexPath.count == 2 else { return nil }
    self.init(item: indexPath[1], section: indexPath[0])
  }
}

extension FetchedIndexPath: Comparable {
  public static func < (left: FetchedIndexPath, right: FetchedIndexPath) -> Bool {
    (left.section, left.item) < (right.section, right.item)
  }
}

extension FetchedIndexPath: CustomStringConvertible {
  public var description: String { "[\(section), \(item)]" }
}

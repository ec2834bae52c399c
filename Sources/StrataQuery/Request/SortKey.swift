// SPDX-License-Identifier: Apache-2.0

/// One key of a request's order: a property and a direction. Core Data: `NSSortDescriptor`.
///
/// Values are in Swift's order, texts in the order of their normal form (NFC). nil comes before
/// every value. A floating-point value that is not a number comes after every number. Descending
/// order reverses all of this.
public struct SortKey: Sendable {
  /// The direction of the order.
  public enum Direction: Sendable, Hashable {
    case ascending
    case descending
  }

  /// The key path of an attribute of the entity.
  public let keyPath: any AnyKeyPath & Sendable
  public let direction: Direction
}

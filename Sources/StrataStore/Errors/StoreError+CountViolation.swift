// SPDX-License-Identifier: Apache-2.0
public import StrataModel

extension StoreError {
  /// A relationship that a save would give more members than it may have, because another save has
  /// added some that its context did not see.
  public struct CountViolation: Sendable, Hashable {
    /// The object that has the relationship.
    public let objectID: ObjectID
    /// The name of its entity.
    public let entity: String
    public let property: String
    /// How many members there would be.
    public let count: Int
    /// How many there may be.
    public let max: Int
  }
}

extension StoreError.CountViolation: CustomStringConvertible {
  /// A sentence that says how to resolve the violation.
  public var description: String {
    "\(entity).\(property) of \(objectID) would have \(count) members and may have \(max): "
      + "refresh it, and remove some."
  }
}

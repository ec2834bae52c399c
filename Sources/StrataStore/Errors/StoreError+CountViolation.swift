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
    /// The name of the relationship.
    public let property: String
    /// How many members there would be.
    public let count: Int
    /// How many there may be.
    public let max: Int

    package init(objectID: ObjectID, entity: String, property: String, count: Int, max: Int) {
      self.objectID = objectID
      self.entity = entity
      self.property = property
      self.count = count
      self.max = max
    }
  }
}

extension StoreError.CountViolation: CustomStringConvertible {
  /// The violation and its remedy, in sentences.
  public var description: String { "\(reason) Refresh it, and remove some." }

  /// The relationship and its number of members, in a sentence.
  var reason: String {
    "The relationship \(entity).\(property) of \(objectID) would have \(count) members, and may "
      + "have \(max)."
  }
}

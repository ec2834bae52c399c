// SPDX-License-Identifier: Apache-2.0
public import StrataModel

extension StoreError {
  /// Why stores cannot be used together by one coordinator. Each store is named as in its
  /// description.
  public enum Incompatibility: Sendable, Hashable {
    /// Two descriptions are of one store, or of a store and a copy of its file. Leave one out.
    case sameStore(String, String)
    /// Two stores were made independently of each other, and their objects have the same serials:
    /// both by a coordinator of their own, or beside the same other store at different times. Keep
    /// one of them; create the other again beside it, and copy its objects.
    case sameSerials(String, String)
    /// Two stores have come to the model by different former models, and number its entities and
    /// properties differently. Keep one of them; create the other again beside it, and copy its
    /// objects.
    case differentNumbers(String, String)
    /// A configuration has the name of an entity that the model does not have.
    case unknownEntity(String, store: String)
    /// 128 stores were created beside each other one after the other, and no serials are left for
    /// another one.
    case noSerialsLeft
  }

  /// A relationship that leads from an object of one store to an object of another one.
  public struct LinkAcrossStores: Sendable, Hashable {
    /// The object that has the relationship.
    public let owner: ObjectID
    /// The name of the owner's entity.
    public let entity: String
    /// The name of the relationship.
    public let property: String
    /// The object that the relationship leads to.
    public let target: ObjectID
    /// The name of the owner's store; nil if no store of the coordinator takes the object.
    public let ownerStore: String?
    /// The name of the target's store; nil if no store of the coordinator takes the object.
    public let targetStore: String?

    package init(
      owner: ObjectID, entity: String, property: String, target: ObjectID, ownerStore: String?,
      targetStore: String?
    ) {
      self.owner = owner
      self.entity = entity
      self.property = property
      self.target = target
      self.ownerStore = ownerStore
      self.targetStore = targetStore
    }
  }
}

extension StoreError.Incompatibility: CustomStringConvertible {
  /// The reason and the remedy, in sentences.
  public var description: String { "\(reason) \(remedy)" }

  /// The stores and their difference, in a sentence.
  var reason: String {
    switch self {
    case .sameStore(let first, let second):
      "The stores \(first) and \(second) are one store, or a store and its copy."
    case .sameSerials(let first, let second):
      "The stores \(first) and \(second) were made independently of each other, and their objects "
        + "have the same serials."
    case .differentNumbers(let first, let second):
      "The stores \(first) and \(second) have come to the model by different former models."
    case .unknownEntity(let entity, let store):
      "The configuration of \(store) has the entity \(entity), and the model does not."
    case .noSerialsLeft: "No serials are left for another store."
    }
  }

  /// The next step, in a sentence.
  var remedy: String {
    switch self {
    case .sameStore: "Leave one out."
    case .sameSerials, .differentNumbers:
      "Keep one of them, create the other again beside it, and copy its objects."
    case .unknownEntity: "Remove the entity from the configuration, or correct its name."
    case .noSerialsLeft: "Create the stores again, and copy their objects."
    }
  }
}

extension StoreError.LinkAcrossStores: CustomStringConvertible {
  /// The link and the remedy, in sentences.
  public var description: String { "\(reason) \(Self.remedy)" }

  /// The relationship, the objects and their stores, in a sentence.
  var reason: String {
    "The relationship \(entity).\(property) of \(owner) in \(ownerStore ?? "no store") leads to "
      + "\(target.named) in \(targetStore ?? "no store")."
  }

  static let remedy =
    "Keep the other object's ID as an attribute, or assign both objects to one store when they "
    + "are new."
}

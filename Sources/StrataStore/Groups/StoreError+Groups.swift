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
    public let owner: ObjectID
    /// The name of the owner's entity.
    public let entity: String
    /// The name of the relationship.
    public let property: String
    public let target: ObjectID
    /// The names of the stores; nil if no store of the coordinator takes the object.
    public let ownerStore: String?
    public let targetStore: String?
  }
}

extension StoreError.Incompatibility: CustomStringConvertible {
  /// A sentence with the remedy.
  public var description: String {
    switch self {
    case .sameStore(let first, let second):
      "\(first) and \(second) are one store, or a store and its copy. Leave one out."
    case .sameSerials(let first, let second):
      "\(first) and \(second) were made independently of each other, and their objects have the "
        + "same serials. Keep one of them, create the other again beside it, and copy its objects."
    case .differentNumbers(let first, let second):
      "\(first) and \(second) have come to the model by different former models. Keep one of them, "
        + "create the other again beside it, and copy its objects."
    case .unknownEntity(let entity, let store):
      "The configuration of \(store) has the entity \(entity), and the model does not. Remove it, "
        + "or correct its name."
    case .noSerialsLeft:
      "No serials are left for another store. Create the stores anew, and copy their objects."
    }
  }
}

extension StoreError.LinkAcrossStores: CustomStringConvertible {
  /// A sentence that names the relationship and the stores.
  public var description: String {
    "\(entity).\(property) of \(owner) in \(ownerStore ?? "no store") leads to \(target) in "
      + "\(targetStore ?? "no store"). Keep the other object's ID as an attribute, or assign both "
      + "objects to one store when they are new."
  }
}

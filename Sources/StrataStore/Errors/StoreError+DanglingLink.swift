// SPDX-License-Identifier: Apache-2.0
public import StrataModel
package import StrataRecord

extension StoreError {
  /// A link that would lead to nothing after a save.
  public struct DanglingLink: Sendable, Hashable {
    /// The reasons why a link would lead to nothing.
    public enum Cause: Sendable, Hashable {
      /// The save makes the link, and its target does not exist: it was deleted in between, or
      /// never saved.
      case missingTarget
      /// The save deletes the target, and was unaware of the link, which another save has made.
      case unknownReferrer
      /// The save deletes the owner, and was unaware of the link, which another save has made; the
      /// delete rule, cascade or deny, has not been applied to it.
      case unknownMember
      /// The save deletes the target, whose delete rule is deny, and another save has linked the
      /// owner to it. The merge policy let the deletion stand; the rule denies it.
      case deniedReferrer
      /// The save deletes the owner, whose delete rule is deny, and another save has linked it to
      /// the target.
      case deniedMember
    }

    /// The object that has the link.
    public let owner: ObjectID
    /// The name of the owner's entity.
    public let entity: String
    /// The name of the relationship.
    public let property: String
    /// The object that the link leads to.
    public let target: ObjectID
    /// The reason why the link would lead to nothing.
    public let cause: Cause

    package init(
      owner: ObjectID, entity: String, property: String, target: ObjectID, cause: Cause
    ) {
      self.owner = owner
      self.entity = entity
      self.property = property
      self.target = target
      self.cause = cause
    }
  }
}

extension StoreError.DanglingLink {
  /// - Parameter slot: the relationship's; nil if the model has none.
  package init(
    _ cause: Cause, at slot: Int?, from owner: ObjectKey, to target: ObjectKey, in schema: Schema
  ) {
    let entity = schema.entity(owner.entity)?.description
    self.init(
      owner: ObjectID(store: schema.store, key: owner), entity: entity?.name ?? "an entity",
      property: slot.flatMap { entity?.properties[$0].name } ?? "a relationship",
      target: ObjectID(store: schema.store, key: target), cause: cause)
  }
}

extension StoreError.DanglingLink: CustomStringConvertible {
  /// The reason and the remedy, in sentences.
  public var description: String { "\(reason) \(cause.remedy)" }

  /// The objects, the relationship and the cause, in a sentence.
  var reason: String {
    let relationship = "\(entity).\(property)"
    return switch cause {
    case .missingTarget:
      "The relationship \(relationship) of \(owner) leads to \(target.named), which does not exist."
    case .unknownReferrer:
      "The \(target.named) cannot be deleted, because another save has linked \(relationship) of "
        + "\(owner) to it."
    case .unknownMember:
      "The \(entity) \(owner) cannot be deleted, because another save has added \(target.named) to "
        + "its \(property)."
    case .deniedReferrer:
      "The \(target.named) cannot be deleted, because its delete rule denies it while "
        + "\(relationship) of \(owner) leads to it."
    case .deniedMember:
      "The \(entity) \(owner) cannot be deleted, because its delete rule denies it while its "
        + "\(property) has \(target.named)."
    }
  }

  /// The remedies of `links`, each once.
  static func remedy(of links: [StoreError.DanglingLink]) -> String {
    var remedies: [String] = []
    for link in links where !remedies.contains(link.cause.remedy) {
      remedies.append(link.cause.remedy)
    }
    return remedies.joined(separator: " ")
  }
}

extension StoreError.DanglingLink.Cause {
  fileprivate var remedy: String {
    switch self {
    case .missingTarget: "Choose another target."
    case .unknownReferrer, .unknownMember: "Refresh both objects, and repeat the changes."
    case .deniedReferrer, .deniedMember: "Unlink the objects first, or keep both."
    }
  }
}

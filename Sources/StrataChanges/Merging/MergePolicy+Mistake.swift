// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel
package import StrataPrimitives

extension MergePolicy {
  /// Something that a custom merge policy decided and that cannot be done. The save that asked it
  /// has failed and written nothing; the policy has to be mended.
  public struct Mistake: Error, Sendable, Hashable {
    /// The reason why the decision cannot be carried out.
    public enum Cause: Sendable, Hashable {
      /// The object's entity has no such property.
      case unknownProperty(property: String)
      /// The property is a to-many relationship: those are not part of a conflict.
      case toManyRelationship(property: String)
      /// The value is not of the property's type, not a case of its enum, out of its range or too
      /// large, or an object of another entity or store. A value that one side has is taken as it
      /// is.
      case unfitValue(property: String)
      /// The relationship and its inverse are to-one, and the target is neither ours nor theirs:
      /// the other end would not lead back.
      case oneToOneRelationship(property: String)
      /// Policies refer to each other without end.
      case endless
    }

    /// The object in conflict.
    public let objectID: ObjectID
    /// The name that the policy was given.
    public let policy: String
    /// The reason why the decision cannot be carried out.
    public let cause: Cause

    package init(objectID: ObjectID, policy: String, cause: Cause) {
      self.objectID = objectID
      self.policy = policy
      self.cause = cause
    }
  }
}

extension MergePolicy.Mistake: LocalizedError, CustomStringConvertible, ExplainedError {
  package var explanation: ErrorExplanation {
    let complaint =
      switch cause {
      case .unknownProperty(let name): "names \(name), which is not a property of the entity"
      case .toManyRelationship(let name):
        "sets \(name), a to-many relationship, which merges by itself"
      case .unfitValue(let name): "gives \(name) a value that it cannot hold"
      case .oneToOneRelationship(let name):
        "gives \(name) a target that is neither ours nor theirs, and that would not lead back"
      case .endless: "refers to itself without end"
      }
    return ErrorExplanation(
      "The merge policy \"\(policy)\" made a decision that cannot be followed.",
      because: "For \(objectID.named), the policy \"\(policy)\" \(complaint).",
      remedy: Self.remedy)
  }

  package static let remedy = "Correct the merge policy, and save again."
}

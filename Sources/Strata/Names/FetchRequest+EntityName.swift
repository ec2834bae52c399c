// SPDX-License-Identifier: Apache-2.0
public import StrataQuery

extension FetchRequest where Root == ManagedObject {
  /// A request for all objects of the entity called `entityName`, or for those that satisfy
  /// `predicate`: for code that does not have the entity's class. Core Data:
  /// `NSFetchRequest(entityName:)`.
  ///
  /// Executing it throws `ContextError.unknownEntity` if the model has no such entity.
  public init(entityName: String, _ predicate: FetchPredicate? = nil) {
    self.init(entityNamed: entityName, predicate)
  }
}

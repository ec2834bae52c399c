// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// Why a context could not do what it was asked. Errors of the store below come as `StoreError`, of
/// a fetch request as `QueryError`.
public enum ContextError: Error, Sendable, Hashable {
  // MARK: Finding objects

  /// No such object: it was never saved where this context can see it, or it was deleted.
  case objectNotFound(ObjectID)
  /// The object is of another entity than the one that was asked for.
  case unexpectedEntity(ObjectID, expected: String, found: String)
  /// The ID is of an object in another store than this context's.
  case foreignObjectID(ObjectID)
  /// The class is no entity of the context's model: name it in `ManagedObjectModel(…)`.
  case unknownEntity(String)

  // MARK: Saving

  /// Objects were deleted that others are linked to by a relationship with the delete rule `.deny`:
  /// unlink or delete those first.
  case deleteDenied([DeniedDelete])

  // MARK: Waiting

  /// The call would wait for a queue whose holder waits, through others, for this thread: a
  /// deadlock. Call in one order everywhere, or use `await perform`.
  case wouldDeadlock

  /// An object that may not be deleted, and the relationship that says so.
  public struct DeniedDelete: Sendable, Hashable {
    public let objectID: ObjectID
    public let relationship: String
  }
}

extension ContextError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .objectNotFound(let id):
      "There is no object \(id): it was deleted, or it is not saved to where this context reads."
    case .unexpectedEntity(let id, let expected, let found):
      "Object \(id) is a \(found), not a \(expected)."
    case .foreignObjectID(let id):
      "Object \(id) lies in another store than this context's."
    case .unknownEntity(let name):
      "The model has no entity for class \(name). Add \(name).self to ManagedObjectModel(…)."
    case .deleteDenied(let denied):
      "\(denied.count) objects may not be deleted while others are linked to them: "
        + denied.prefix(3).map { "\($0.objectID) by \($0.relationship)" }.joined(separator: ", ")
        + (denied.count > 3 ? ", …" : ".")
    case .wouldDeadlock:
      "This call would wait for a context whose holder waits for this thread. Enter contexts in "
        + "one order everywhere, or use await perform."
    }
  }
}

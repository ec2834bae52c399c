// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel
package import StrataPrimitives

/// A row of a batch insert cannot be inserted. The batch has inserted nothing, except in earlier
/// transactions.
public struct BatchRowError: Error, Sendable {
  /// The row's number, from 0.
  public let row: Int
  /// The reason: an error of the code that fills rows, a `QueryError` or `ContextError` for a value
  /// that the property cannot have, `ContextError.validationFailed`, or
  /// `StoreError.uniquenessViolations`.
  public let underlyingError: any Error

  package init(row: Int, underlyingError: any Error) {
    self.row = row
    self.underlyingError = underlyingError
  }
}

/// A batch with `committing(every:)` failed or was cancelled. Its earlier transactions are in the
/// store.
public struct BatchInterruption: Error, Sendable {
  /// The end of the last committed transaction, for `resuming(after:)`.
  public let token: BatchToken
  /// The error that ended the batch: `CancellationError`, or an error of a transaction. Nothing of
  /// that transaction is in the store.
  public let underlyingError: any Error

  package init(token: BatchToken, underlyingError: any Error) {
    self.token = token
    self.underlyingError = underlyingError
  }
}

/// The position of a batch: the end of its last committed transaction. It can be stored, and
/// another process can resume the batch from it.
public struct BatchToken: Sendable, Hashable, Codable {
  /// How many rows a batch insert has processed, or how many objects a batch update has examined.
  public let completedCount: Int
  /// The last object that a batch update has examined; nil for a batch insert, and before the first
  /// transaction.
  public let lastObject: ObjectID?

  package init(completedCount: Int, lastObject: ObjectID? = nil) {
    (self.completedCount, self.lastObject) = (completedCount, lastObject)
  }
}

extension BatchRowError: LocalizedError, CustomStringConvertible, ExplainedError {
  package var explanation: ErrorExplanation {
    let cause = ErrorExplanation(ofCause: underlyingError, in: "underlyingError")
    return ErrorExplanation(
      "The row \(row), counted from 0, cannot be inserted.",
      because: "\(cause.problem) \(cause.reason)",
      remedy: "\(cause.remedy) Or leave out the row, and execute the batch again.")
  }
}

extension BatchInterruption: LocalizedError, CustomStringConvertible, ExplainedError {
  package var explanation: ErrorExplanation {
    let cause = ErrorExplanation(ofCause: underlyingError, in: "underlyingError")
    return ErrorExplanation(
      "The batch ended after \(token.completedCount) rows or objects, which are in the store.",
      because: "\(cause.problem) \(cause.reason)",
      remedy: "\(cause.remedy) Then go on with resuming(after:) and the error's token.")
  }
}

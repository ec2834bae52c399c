// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel
package import StrataPrimitives

/// A `save(to: .store)` was refused because of an ancestor's own unsaved changes. Nothing was
/// saved: all contexts have the unsaved changes that they had.
///
/// Resolve the cause in that ancestor, and repeat the save.
public struct AncestorSaveError: Error, Sendable {
  /// How far above the context that was saved: 1 is its parent.
  public let level: Int
  /// The `name` of the context whose save failed, if it has one.
  public let contextName: String?
  /// The error of its `save()`: mostly a `StoreError`, or `ContextError.deleteDenied`.
  public let underlyingError: any Error

  package init(level: Int, contextName: String?, underlyingError: any Error) {
    self.level = level
    self.contextName = contextName
    self.underlyingError = underlyingError
  }
}

extension AncestorSaveError: LocalizedError, CustomStringConvertible, ExplainedError {
  package var explanation: ErrorExplanation {
    let place = level == 1 ? "the parent" : "the ancestor \(level) levels above"
    let name = contextName.map { " \"\($0)\"" } ?? ""
    let cause = ErrorExplanation(ofCause: underlyingError, in: "underlyingError")
    return ErrorExplanation(
      "Unsaved changes of \(place)\(name) were refused, and nothing was saved.",
      because: "\(cause.problem) \(cause.reason)",
      remedy: "\(cause.remedy) Do so in that context. Then repeat the save.")
  }
}

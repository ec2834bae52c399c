// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataPrimitives

/// A public error of Strata: its texts are made from one explanation.
///
/// | text | contents | for |
/// | --- | --- | --- |
/// | `errorDescription`, `localizedDescription` | the problem | an alert's title |
/// | `failureReason` | the reason | an alert's message |
/// | `recoverySuggestion` | the remedy | an alert's message |
/// | `description` | all three | logs and terminals |
package protocol ExplainedError: LocalizedError, CustomStringConvertible, Sendable {
  /// The error in plain English, without values of objects.
  var explanation: ErrorExplanation { get }
}

extension ExplainedError {
  /// The failure in plain English, in a sentence without values of objects.
  public var errorDescription: String? { explanation.problem }

  /// The cause of the failure, in sentences without values of objects.
  public var failureReason: String? { explanation.reason }

  /// The next step, in sentences without values of objects.
  public var recoverySuggestion: String? { explanation.remedy }

  /// The failure, its cause and the next step, in sentences without values of objects.
  public var description: String { explanation.text }
}

extension ErrorExplanation {
  /// The explanation of an error that caused another one. The text of an error of the program is
  /// not repeated, because it may have values of objects; its type is named.
  ///
  /// - Parameter property: the property of the other error that has `cause`.
  package init(ofCause cause: any Error, in property: String) {
    switch cause {
    case let cause as any ExplainedError: self = cause.explanation
    case is CancellationError:
      self.init(
        "The work was cancelled.", because: "The task that it ran in was cancelled.",
        remedy: "Repeat it if it is still needed.")
    default:
      self.init(
        "An error of the type \(type(of: cause)) was thrown.",
        because: "The property \(property) has it.", remedy: "Resolve its cause.")
    }
  }
}

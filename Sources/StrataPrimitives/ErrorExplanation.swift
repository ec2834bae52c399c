// SPDX-License-Identifier: Apache-2.0

/// An error in plain English: the failure, its reason and its remedy, each in whole sentences.
///
/// An error type writes one explanation for each of its cases. All other texts of the error are
/// made from it, so that they never contradict each other. The texts name entities, objects by
/// their IDs and properties. They have no values of objects, because texts of errors end up in
/// logs.
package struct ErrorExplanation: Sendable, Hashable {
  /// The operation that failed, or the thing that cannot be used.
  package let problem: String
  /// The cause of the problem.
  package let reason: String
  /// The next step of the program or its user.
  package let remedy: String

  package init(_ problem: String, because reason: String, remedy: String) {
    (self.problem, self.reason, self.remedy) = (problem, reason, remedy)
  }

  /// The three texts, one after the other: for logs and terminals.
  package var text: String { "\(problem) \(reason) \(remedy)" }
}

// MARK: - Lists

extension ErrorExplanation {
  /// How many items of a list a text shows.
  package static let listCountMax = 3

  /// The first sentences of a list, and the number of the others.
  package static func sentences(_ items: [some StringProtocol]) -> String {
    let shown = items.prefix(listCountMax).joined(separator: " ")
    return items.count > listCountMax ? shown + " And \(items.count - listCountMax) more." : shown
  }

  /// The first names of a list, with commas between them, and the number of the others.
  package static func names(_ items: [some StringProtocol]) -> String {
    let shown = items.prefix(listCountMax).joined(separator: ", ")
    return items.count > listCountMax ? shown + " and \(items.count - listCountMax) more" : shown
  }

  /// A number of things: "1 object", "3 objects".
  package static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataQuery
import Testing

@Suite struct `A regular expression of a predicate` {
  /// Some steps more than a report takes, so the first report is the last one, too.
  private static func match() throws -> Bool {
    try WholePattern("(a+)+b", [], stepsMax: 10_000).matches(String(repeating: "a", count: 40))
  }

  @Test func `ends with a cancelled task even where it has become too costly`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try Self.match()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `is too costly after its last step`() {
    #expect(throws: QueryError.costlyPattern) { try Self.match() }
  }
}

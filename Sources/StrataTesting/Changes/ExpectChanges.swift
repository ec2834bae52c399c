// SPDX-License-Identifier: Apache-2.0
public import Testing

/// Runs `body`, and expects that it makes exactly the changes of `expected`: no more, no fewer, no
/// others. Each difference is a line of one issue of the test.
///
/// ```swift
/// try expectChanges(in: context) {
///   zurich.population = 430_000
///   context.delete(chur)
/// } to: {
///   Updated(zurich.objectID, \City.population, from: 421_878, to: 430_000)
///   Deleted(chur.objectID)
/// }
/// ```
///
/// The states before and after `body` are compared, whatever has led from one to the other: edits,
/// saves of children, batches, other processes. A value that is set and set back is not a change.
/// An empty `to:` expects that nothing changes.
///
/// Transient attributes are not compared. A relationship with an inverse is compared at one side,
/// so that a link is one change:
///
/// | relationship | compared at |
/// | --- | --- |
/// | to-one, and unordered to-many | the to-one side |
/// | ordered to-many | the ordered side, and the to-one side if there is one |
/// | both to-one, or both unordered to-many | the side that the text of a difference names |
/// | symmetric, or without an inverse | each object that has the link |
///
/// - Parameters:
///   - subject: the state that is compared; see `ChangeSubject`. The turn of a context ends before
///     and after `body`.
///   - ignored: properties that may change, as `Entity.property`: dates of changes, for example.
///     The entity may be a superentity.
///   - body: the work. It may return a value.
///   - expected: the changes; evaluated after `body`, so that it can use IDs of new objects.
/// - Returns: the result of `body`.
/// - Throws: the errors of `body`, and nothing is compared; `StoreError`, if reading fails.
/// - Complexity: O(objects of the store), twice, in time and memory. If new objects differ from
///   the expected ones, matching these with each other takes time O(expected × inserted), or more
///   if they fit in several ways; memory stays linear.
@discardableResult
public func expectChanges<Result>(
  in subject: some ChangeSubject, ignoring ignored: Set<String> = [],
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Result, @ExpectedChanges to expected: () throws -> [any ExpectedChange]
) throws -> Result {
  let before = try GraphState(of: subject._observedPlace)
  let result = try body()
  let after = try GraphState(of: subject._observedPlace)
  try record(
    ChangeComparison(from: before, to: after, ignoring: ignored), expected, sourceLocation)
  return result
}

/// Runs `body`, and expects that it makes exactly the changes of `expected`, as the function
/// without `async`.
@discardableResult
public func expectChanges<Result>(
  in subject: some ChangeSubject, ignoring ignored: Set<String> = [],
  sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result,
  @ExpectedChanges to expected: () throws -> [any ExpectedChange]
) async throws -> Result {
  let before = try GraphState(of: subject._observedPlace)
  let result = try await body()
  let after = try GraphState(of: subject._observedPlace)
  try record(
    ChangeComparison(from: before, to: after, ignoring: ignored), expected, sourceLocation)
  return result
}

private func record(
  _ comparison: ChangeComparison, _ expected: () throws -> [any ExpectedChange],
  _ sourceLocation: SourceLocation
) throws {
  let differences = try comparison.differences(from: expected().map(\._expectation))
  guard !differences.isEmpty else { return }
  let count = differences.count == 1 ? "1 difference" : "\(differences.count) differences"
  let text = (["\(count) from the expected changes:"] + differences).joined(separator: "\n")
  Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}

/// Collects the changes in the closure `to:` of `expectChanges`. Conditions and loops may be in it.
@resultBuilder
public enum ExpectedChanges {
  public static func buildExpression(_ change: any ExpectedChange) -> [any ExpectedChange] {
    [change]
  }

  public static func buildExpression(_ changes: [any ExpectedChange]) -> [any ExpectedChange] {
    changes
  }

  public static func buildBlock(_ changes: [any ExpectedChange]...) -> [any ExpectedChange] {
    changes.flatMap { $0 }
  }

  public static func buildOptional(_ changes: [any ExpectedChange]?) -> [any ExpectedChange] {
    changes ?? []
  }

  public static func buildEither(first changes: [any ExpectedChange]) -> [any ExpectedChange] {
    changes
  }

  public static func buildEither(second changes: [any ExpectedChange]) -> [any ExpectedChange] {
    changes
  }

  public static func buildArray(_ changes: [[any ExpectedChange]]) -> [any ExpectedChange] {
    changes.flatMap { $0 }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// An error that reading a property met and could not throw: the next call that can, does.
///
/// The first error counts. Those that follow it are usually its consequences.
///
/// ## Isolation
/// The context's.
struct DeferredError {
  private var error: (any Error)?

  /// Keeps an error, unless an earlier one waits.
  mutating func note(_ error: any Error) {
    if self.error == nil { self.error = error }
  }

  /// The error that waits, which waits no longer.
  mutating func take() -> (any Error)? {
    guard let error else { return nil }
    self.error = nil
    return error
  }

  /// Throws the error that waits, if there is one, and forgets it.
  mutating func throwIfAny() throws {
    if let error = take() { throw error }
  }
}

// The reporter's own, and not the error's: a body may note errors itself, so the error is not being
// accessed while the body runs.

extension TurnReporter {
  /// Keeps an error for the next call that can throw. The first one counts.
  package func note(_ error: any Error) { deferredError.note(error) }

  /// The result of `body`, or `value` if it throws: the next call that can throw says why.
  package func attempt<Result>(orElse value: Result, _ body: () throws -> Result) -> Result {
    do { return try body() } catch {
      note(error)
      return value
    }
  }

  /// Runs `body`. If it throws, the next call that can throw says why.
  func attempt(_ body: () throws -> Void) { attempt(orElse: (), body) }

  package func throwDeferredError() throws { try deferredError.throwIfAny() }
}

// SPDX-License-Identifier: Apache-2.0

/// A write transaction that a thread waits for.
///
/// ## States
/// - waiting → begun: the transaction has begun on the writer thread. It is not given up any more.
/// - waiting → givenUp: `giveUp`. The writer thread does nothing for it any more.
///
/// ## Isolation
/// Sendable.
final class SynchronousWrite<T>: Sendable {
  private enum Phase { case waiting, begun, givenUp }

  private let phase = Monitor(Phase.waiting)
  private let result = Monitor<Result<T, any Error>?>(nil)
  /// Released before the caller goes on, which may want to close the file.
  private let environment: Monitor<Environment?>

  init(in environment: Environment) { self.environment = Monitor(environment) }

  /// Runs `body` in a transaction, on the writer thread.
  func run(_ body: (WriteTransaction) throws -> sending T) {
    // Safety: the result is taken once; until then only the monitor holds it.
    nonisolated(unsafe) let outcome = Result { try write(body) }
    result.change { if $0 == nil { $0 = outcome } }
  }

  /// Has `wait` throw an error, unless the transaction has begun.
  func giveUp(_ error: LMDBError) {
    if move(to: .givenUp) { result.change { $0 = .failure(error) } }
  }

  /// Waits for the result; called once.
  func wait() throws -> sending T {
    // Safety: only the monitor holds the result, and it is taken once.
    nonisolated(unsafe) let taken = result.wait { $0.take() }
    return try taken.get()
  }

  /// - Throws: the errors of `body`, `begin` and `commit`; `badTransaction`, which no caller gets,
  ///   if it was given up.
  private func write(_ body: (WriteTransaction) throws -> sending T) throws -> sending T {
    guard let environment = environment.withLock({ $0.take() }),
      phase.withLock({ $0 }) == .waiting
    else { throw LMDBError.badTransaction }
    let transaction = try environment.begin()
    defer { transaction.abort() }
    guard move(to: .begun) else { throw LMDBError.badTransaction }
    let value = try body(transaction)
    if transaction.raw != nil { try transaction.commit() }
    return value
  }

  private func move(to next: Phase) -> Bool {
    phase.withLock { phase in
      guard phase == .waiting else { return false }
      phase = next
      return true
    }
  }
}

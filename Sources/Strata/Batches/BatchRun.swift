// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataStore

/// Makes the parts of a batch insert or a batch update, in one transaction or in several.
protocol BatchSource: BatchParts {
  /// Whether a part may change an existing object.
  var changesObjects: Bool { get }
  /// The number of rows or objects in a transaction; nil for one transaction.
  var commitInterval: Int? { get }
  /// Whether there is nothing left to insert or update.
  var isFinished: Bool { get }
  /// The end of the last committed transaction.
  var token: BatchToken { get }
  var progress: (@Sendable (BatchProgress) -> Void)? { get set }

  /// The error of a transaction, with the number of the row that it concerns, if the source knows
  /// it.
  func attributed(_ error: any Error) -> any Error
}

extension BatchSource {
  func attributed(_ error: any Error) -> any Error { error }
}

/// Has the store execute a batch, one transaction after the other.
struct BatchRun: Sendable {
  private let source: any BatchSource
  private let store: any PersistentStore
  private let batch: StoreBatch

  /// - Parameters:
  ///   - reportsKeys: whether an outcome has the keys of the changed objects even if the feed has
  ///     no followers.
  ///   - author: the author in the history; nil for none.
  ///   - contextName: the name of the context that executes the request; nil if it has none.
  init(
    _ source: any BatchSource, in coordinator: PersistentStoreCoordinator, reportsKeys: Bool,
    author: String?, contextName: String?
  ) {
    self.source = source
    store = coordinator.store
    batch = StoreBatch(
      .write(BatchWriting(source, changesObjects: source.changesObjects)),
      reportsKeys: reportsKeys, author: author, contextName: contextName)
  }

  /// Executes all transactions and waits.
  ///
  /// - Parameter takeOver: called after each transaction.
  func perform(_ takeOver: (BatchOutcome) -> Void = { _ in }) throws {
    repeat {
      do {
        takeOver(try StoreWriter(store: store).wait { try store.execute(batch) })
      } catch {
        throw converted(error)
      }
    } while !source.isFinished
  }

  /// Executes all transactions, suspending the task.
  ///
  /// - Parameters:
  ///   - isolation: the caller's.
  ///   - takeOver: called after each transaction.
  func perform(
    isolation: isolated (any Actor)? = #isolation,
    _ takeOver: (BatchOutcome) async throws -> Void = { _ in }
  ) async throws {
    repeat {
      let outcome: BatchOutcome
      do { outcome = try await store.execute(batch) } catch { throw converted(error) }
      try await takeOver(outcome)
    } while !source.isFinished
  }

  private func converted(_ error: any Error) -> any Error {
    let error = source.attributed(error)
    if source.commitInterval == nil { return error }
    return BatchInterruption(token: source.token, underlyingError: error)
  }
}

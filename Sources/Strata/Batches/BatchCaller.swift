// SPDX-License-Identifier: Apache-2.0
/// The name and the author of the context that executes a batch, for the history.
struct BatchCaller: Sendable {
  /// The name of the context; nil if it has none.
  let contextName: String?
  /// The context's `transactionAuthor`. A request's own author replaces it.
  let author: String?

  init(_ context: ManagedObjectContext) {
    (contextName, author) = (context.name, context.transactionAuthor)
  }
}

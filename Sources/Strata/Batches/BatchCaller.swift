// SPDX-License-Identifier: Apache-2.0
/// The context that executes a batch, as far as the batch has to know it.
struct BatchCaller: Sendable {
  /// The name of the context; nil if it has none.
  let contextName: String?
  /// The author in the history, unless the request has one.
  let author: String?

  init(_ context: ManagedObjectContext) {
    (contextName, author) = (context.name, context.transactionAuthor)
  }
}

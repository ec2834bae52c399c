// SPDX-License-Identifier: Apache-2.0
import Strata

extension PersistentContainer {
  /// Saves a city from a context with an author and a name.
  @discardableResult
  func saveCity(
    _ name: String, author: String? = nil, context contextName: String? = nil
  ) throws -> ObjectID {
    try ContextQueue(parent: coordinator).performAndWait { context in
      context.transactionAuthor = author
      context.name = contextName
      let city = context.city(name)
      try context.save()
      return city.objectID
    }
  }

  /// The transactions of the history, oldest first.
  func transactions(after token: HistoryToken? = nil) throws -> [HistoryTransaction] {
    try coordinator.fetchHistory(HistoryRequest(after: token))
  }
}

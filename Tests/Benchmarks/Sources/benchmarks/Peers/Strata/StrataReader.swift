// SPDX-License-Identifier: Apache-2.0
import Strata

/// One thread's queue; each read is a turn of it.
final class StrataReader: ThreadReader {
  private let queue: ContextQueue

  init(below coordinator: PersistentStoreCoordinator) {
    queue = ContextQueue(parent: coordinator)
  }

  func countIDs(named name: String) throws -> Int {
    try queue.performAndWait { try $0.fetchIDs(Person.where { $0.name == name }).count }
  }

  func sumPersons(named name: String) throws -> UInt64 { try queue.personSum(named: name) }

  func close() {}
}

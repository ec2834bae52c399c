// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gazetteer
import Strata
import StrataChanges
import StrataStore

/// The store whose file is fuzzed: the small gazetteer, with a history.
enum FuzzedStore {
  static let content = Gazetteer.small

  static func open(_ url: URL) throws -> PersistentContainer {
    try PersistentContainer(at: url, model: Gazetteer.model(), durability: .none)
  }

  static func make(at url: URL) throws {
    let container = try open(url)
    try keepHistory(of: container.coordinator)
    try container.root.performAndWait { try content.fill($0) }
  }

  /// Waits for it: only programs of several threads have anything else to do.
  private static func keepHistory(of coordinator: PersistentStoreCoordinator) throws {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      try? await coordinator.keepHistory()
      isDone.signal()
    }
    isDone.wait()
    guard try coordinator.historyStatus() != nil else { throw CocoaError(.featureUnsupported) }
  }

  /// The history, and what the check of the tool finds: reports, no errors.
  static func inspect(_ coordinator: PersistentStoreCoordinator) throws {
    var check = StoreCheck(try coordinator.snapshot(), progress: { _ in }, report: { _ in })
    _ = check.run()
    for transaction in try coordinator.fetchHistory(HistoryRequest()) {
      for _ in transaction.changes {}
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package import Strata
import Synchronization

/// Collects the messages that a context posts as notifications.
package final class MessageLog: Sendable {
  private let entries = Mutex<[ManagedObjectContext.Message]>([])
  private let observers = Mutex<[Observer]>([])

  package init(_ layer: ContextLayer) {
    for kind in ManagedObjectContext.Message.Kind.allCases {
      let observer = Observer(kind, of: layer) { [weak self] message in
        self?.entries.withLock { $0.append(message) }
      }
      observers.withLock { $0.append(observer) }
    }
  }

  package var messages: [ManagedObjectContext.Message] { entries.withLock { $0 } }
  package var kinds: [ManagedObjectContext.Message.Kind] { messages.map(\.kind) }

  package func messages(_ kind: ManagedObjectContext.Message.Kind) -> [ManagedObjectContext.Message]
  {
    messages.filter { $0.kind == kind }
  }
}

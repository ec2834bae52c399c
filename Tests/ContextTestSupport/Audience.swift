// SPDX-License-Identifier: Apache-2.0
package import Strata
import StrataModel
import Synchronization

/// The objects of some entities that a program knows by a context's objectsDidChange alone: it adds
/// those that a message names as inserted, and removes those that it names as deleted.
package final class Audience: Sendable {
  private final class Known: Sendable {
    let ids: Mutex<Set<ObjectID>>

    init(_ ids: Set<ObjectID>) { self.ids = Mutex(ids) }
  }

  private let known: Known
  private let observer: Observer

  /// - Parameters:
  ///   - entityNames: the names of the entities.
  ///   - ids: the objects that are known to begin with.
  package init(
    _ layer: ContextLayer, of entityNames: Set<String>, knowing ids: some Sequence<ObjectID>
  ) {
    let known = Known(Set(ids))
    self.known = known
    observer = Observer(.objectsDidChange, of: layer) { message in
      known.ids.withLock { $0 = $0.subtracting(message.objects.deleted) }
      known.ids.withLock {
        $0.formUnion(
          message.objects.inserted.filter { $0.entityName.map(entityNames.contains) ?? true })
      }
    }
  }

  package var ids: Set<ObjectID> { known.ids.withLock { $0 } }

  /// Begins again with these objects.
  package func begin(knowing ids: some Sequence<ObjectID>) {
    known.ids.withLock { $0 = Set(ids) }
  }
}

// SPDX-License-Identifier: Apache-2.0
package import Strata

extension ManagedObjectContext {
  /// A context as a queue has one, without the queue: its turn ends at `processPendingChanges()`
  /// and at `save()`, and a fetch does not end it. The caller uses it in one isolation.
  package static func withExplicitTurns(below parent: some ContextParent) -> ManagedObjectContext {
    ManagedObjectContext(place: parent.place, confinement: .queue, sameIsolationParent: nil)
  }
}

// SPDX-License-Identifier: Apache-2.0
// error: capture of 'town' with non-Sendable type 'Town' in a '@Sendable' closure
//
// An object of the main actor is used on a queue.

import Strata

@Entity final class Town: ManagedObject { var name: String }

@MainActor func leak(_ container: PersistentContainer) async throws {
  let town = Town(context: container.viewContext)
  try await container.root.perform { _ in town.name = "Lavasan" }
}

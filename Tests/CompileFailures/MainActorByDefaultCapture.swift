// SPDX-License-Identifier: Apache-2.0
// flags: -default-isolation MainActor
// error: capture of 'town' with non-Sendable type 'Town' in a '@Sendable' closure
//
// An object of the main actor is used on a queue, where the main actor is the default.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ container: PersistentContainer) async throws {
  let town = Town(context: container.viewContext)
  try await container.root.perform { _ in town.name = "Lavasan" }
}

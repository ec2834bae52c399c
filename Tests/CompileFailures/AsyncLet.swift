// SPDX-License-Identifier: Apache-2.0
// error: sending 'town' risks causing data races
//
// An object of the main actor is read by a concurrent child task.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func length(of town: Town) async -> Int { town.name.count }

@MainActor func leak(_ container: PersistentContainer) async throws {
  let town = Town(context: container.viewContext)
  async let length = length(of: town)
  town.name = "Lavasan"
  print(await length)
}

// SPDX-License-Identifier: Apache-2.0
// error: sending 'town' risks causing data races
//
// An object of the main actor goes to another actor, to stay there.

import Strata

@Entity final class Town: ManagedObject { var name: String }

actor Favourites {
  private var towns: [Town] = []
  func add(_ town: Town) { towns.append(town) }
}

@MainActor func leak(_ container: PersistentContainer, _ favourites: Favourites) async throws {
  let town = Town(context: container.viewContext)
  await favourites.add(town)
}

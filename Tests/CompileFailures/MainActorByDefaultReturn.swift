// SPDX-License-Identifier: Apache-2.0
// flags: -default-isolation MainActor
// error: as a 'sending' result
//
// An object leaves its queue for the main actor, where the main actor is the default.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ container: PersistentContainer) async throws {
  let town = try await container.root.perform { try $0.fetch(Town.all).first }
  town?.name = "Lavasan"
}

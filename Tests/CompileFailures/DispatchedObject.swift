// SPDX-License-Identifier: Apache-2.0
// error: capture of 'town' with non-Sendable type 'Town' in a '@Sendable' closure
//
// An object of the main actor goes to a dispatch queue.

import Dispatch
import Strata

@Entity final class Town: ManagedObject { var name: String }

@MainActor func leak(_ container: PersistentContainer) {
  let town = Town(context: container.viewContext)
  DispatchQueue.global().async { print(town.name) }
}

// SPDX-License-Identifier: Apache-2.0
// error: passing closure as a 'sending' parameter
//
// An object of the main actor goes to a detached task.

import Strata

@Entity final class Town: ManagedObject { var name: String }

@MainActor func leak(_ container: PersistentContainer) throws {
  let town = Town(context: container.viewContext)
  Task.detached { print(town.name) }
}

// SPDX-License-Identifier: Apache-2.0
// error: sending value of non-Sendable type '() async -> ()' risks causing data races
//
// A confined context is used while a task has one of its objects.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) throws {
  let context = ManagedObjectContext(parent: queue)
  let town = Town(context: context)
  Task { town.name = "Lavasan" }
  try context.save()
}

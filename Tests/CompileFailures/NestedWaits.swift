// SPDX-License-Identifier: Apache-2.0
//
// This compiles: queues entered within one another, in any order.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func nested(_ root: ContextQueue, _ worker: ContextQueue) throws -> [String] {
  try worker.performAndWait { context in
    let town = Town(context: context)
    let id = town.objectID
    let above = try root.performAndWait { outer in
      let known = outer.registeredObject(for: id) != nil
      return try worker.performAndWait { try $0.count(Town.all) } + (known ? 1 : 0)
    }
    town.name = "Town \(above)"
    try context.save()
    return [town.name]
  }
}

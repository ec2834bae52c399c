// SPDX-License-Identifier: Apache-2.0
// error: passing closure as a 'sending' parameter
//
// A task that outlives the body keeps an object.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) throws {
  try queue.performAndWait { context in
    let town = Town(context: context)
    Task { print(town.name) }
  }
}

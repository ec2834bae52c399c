// SPDX-License-Identifier: Apache-2.0
// error: 'inout sending' parameter '$0' cannot be task-isolated at end of function
//
// An object leaves its queue in a mutex, which guards the reference and not the object.

import Strata
import Synchronization

@Entity final class Town: ManagedObject { var name: String }

let found = Mutex<Town?>(nil)

func leak(_ queue: ContextQueue) throws {
  try queue.performAndWait { context in
    let town = Town(context: context)
    found.withLock { $0 = town }
  }
}

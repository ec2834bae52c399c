// SPDX-License-Identifier: Apache-2.0
// error: let 'shared' is not concurrency-safe
//
// A context in a global constant.

import Strata

func makeContext(_ queue: ContextQueue) -> ManagedObjectContext {
  ManagedObjectContext(parent: queue)
}

func container() -> PersistentContainer { preconditionFailure() }

let shared = makeContext(container().root)

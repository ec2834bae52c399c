// SPDX-License-Identifier: Apache-2.0
// error: returning task-isolated 'list' as a 'sending' result
//
// A fetched list, which makes the objects of its context, leaves its queue.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws -> FetchedResultsController<Town> {
  try await queue.perform { context in
    let list = FetchedResultsController(Town.all, context: context)
    try list.performFetch()
    return list
  }
}

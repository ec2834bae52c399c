// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'ManagedObject' value as a 'sending' result
//
// An object leaves its queue as the result of `perform`.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws {
  let town = try await queue.perform { Town(context: $0) }
  town.name = "Lavasan"
}

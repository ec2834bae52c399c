// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'Array<Town>' value as a 'sending' result
//
// Objects leave their queue in an array.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws -> [Town] {
  try await queue.perform { [Town(context: $0), Town(context: $0)] }
}

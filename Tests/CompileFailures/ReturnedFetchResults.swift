// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'Array<Town>' value as a 'sending' result
//
// The objects that a fetch found leave their queue.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws -> [Town] {
  try await queue.perform { try $0.fetch(Town.where { $0.name > "L" }.sorted(by: \.name)) }
}

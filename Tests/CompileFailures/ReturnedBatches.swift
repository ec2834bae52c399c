// SPDX-License-Identifier: Apache-2.0
// error: returning task-isolated '$0' as a 'sending' result
//
// Objects that are loaded later leave their queue.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws -> ObjectBatches<Town> {
  try await queue.perform { try $0.fetch(Town.all, inBatchesOf: 10) }
}

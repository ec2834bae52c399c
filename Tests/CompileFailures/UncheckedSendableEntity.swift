// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'ManagedObject' value as a 'sending' result
//
// An entity is declared `Sendable` without a check: that changes nothing, its objects stay where
// they are.

import Strata

@Entity final class Town: ManagedObject, @unchecked Sendable { var name: String }

func leak(_ queue: ContextQueue) async throws -> Town {
  try await queue.perform { Town(context: $0) }
}

// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'ManagedObject' value as a 'sending' result
//
// An object leaves its background task as its result.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ container: PersistentContainer) async throws -> Town {
  try await container.performBackgroundTask { Town(context: $0) }
}

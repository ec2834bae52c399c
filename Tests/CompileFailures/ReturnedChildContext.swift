// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'ManagedObjectContext' value as a 'sending' result
//
// A context that reads the working state of a queue's context leaves the queue.

import Strata

func leak(_ queue: ContextQueue) async throws -> ManagedObjectContext {
  try await queue.perform { ManagedObjectContext(parent: $0) }
}

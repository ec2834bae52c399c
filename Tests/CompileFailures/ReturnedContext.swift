// SPDX-License-Identifier: Apache-2.0
// error: returning task-isolated '$0' as a 'sending' result
//
// A queue's context leaves the queue.

import Strata

func leak(_ queue: ContextQueue) async throws {
  let context = try await queue.perform { $0 }
  try context.save()
}

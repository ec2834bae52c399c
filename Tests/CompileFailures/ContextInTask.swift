// SPDX-License-Identifier: Apache-2.0
// error: passing closure as a 'sending' parameter
//
// A task that outlives the body keeps the context.

import Strata

func leak(_ queue: ContextQueue) async throws {
  try await queue.perform { context in
    Task { try context.save() }
    return
  }
}

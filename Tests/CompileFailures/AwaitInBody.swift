// SPDX-License-Identifier: Apache-2.0
// error: to parameter expecting synchronous function type
//
// A body waits for something and holds its queue meanwhile.

import Strata

func leak(_ queue: ContextQueue) async throws {
  try await queue.perform { context in
    await Task.yield()
    try context.save()
  }
}

// SPDX-License-Identifier: Apache-2.0
// error: value as a 'sending' result risks causing data races
//
// An object leaves its queue in what a closure captured.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws -> () -> String {
  try await queue.perform { context in
    let town = Town(context: context)
    return { town.name }
  }
}

// SPDX-License-Identifier: Apache-2.0
// error: capture of 'town' with non-Sendable type 'Town' in a '@Sendable' closure
//
// An object from elsewhere is used on a queue that is not its own.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ town: Town, _ queue: ContextQueue) async throws {
  try await queue.perform { _ in town.name = "Lavasan" }
}

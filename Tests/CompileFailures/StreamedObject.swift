// SPDX-License-Identifier: Apache-2.0
// error: sending value of non-Sendable type 'ManagedObject' risks causing data races
//
// Objects are streamed out of their queue.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue, to towns: AsyncStream<Town>.Continuation) async throws {
  try await queue.perform { _ = towns.yield(Town(context: $0)) }
}

// SPDX-License-Identifier: Apache-2.0
// warning: stored property 'town' of 'Sendable'-conforming struct 'Duplicate' has non-Sendable type
//
// This compiles, with a warning: an object leaves its queue in an error. The compiler makes it no
// error because types conformed to `Error` before there was `Sendable`. Treat warnings as errors,
// and throw IDs.

import Strata

struct Duplicate: Error {
  let town: Town
}

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws {
  try await queue.perform { throw Duplicate(town: Town(context: $0)) }
}

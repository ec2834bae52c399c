// SPDX-License-Identifier: Apache-2.0
// warning: conformance of 'ManagedObject' to protocol 'Sendable' was already stated
//
// This compiles, with a warning: who declares all managed objects `Sendable` without a check has
// switched the compiler's checks off. `nonisolated(unsafe)` does the same for one variable.

import Strata

// swift-format-ignore: AvoidRetroactiveConformances
extension ManagedObject: @retroactive @unchecked Sendable {}

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) async throws -> Town {
  try await queue.perform { Town(context: $0) }
}

// SPDX-License-Identifier: Apache-2.0
// error: conformance of 'ManagedObject' to 'Sendable' is unavailable: hand over the objectID
//
// An object of the view context leaves the main actor as the result of `MainActor.run`.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ container: PersistentContainer) async throws -> Town? {
  try await MainActor.run { try container.viewContext.fetch(Town.all).first }
}

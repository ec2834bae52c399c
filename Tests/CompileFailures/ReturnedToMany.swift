// SPDX-License-Identifier: Apache-2.0
// error: returning a task-isolated 'ToMany<Town>' value as a 'sending' result
//
// A to-many relationship, through which its object and the members can be reached, leaves its
// queue.

import Strata

@Entity final class District: ManagedObject {
  @Relationship(inverse: \Town.district) var towns: ToMany<Town>
}

@Entity final class Town: ManagedObject {
  var name: String
  var district: District?
}

func leak(_ queue: ContextQueue) async throws -> ToMany<Town> {
  try await queue.perform { District(context: $0).towns }
}

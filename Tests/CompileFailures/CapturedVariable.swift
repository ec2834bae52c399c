// SPDX-License-Identifier: Apache-2.0
// error: capture of 'found' with non-Sendable type 'Town?' in a '@Sendable' closure
// error: mutation of captured var 'found' in concurrently-executing code
//
// An object leaves its queue in a variable outside of the body.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ queue: ContextQueue) throws {
  var found: Town?
  try queue.performAndWait { found = Town(context: $0) }
  found?.name = "Lavasan"
}

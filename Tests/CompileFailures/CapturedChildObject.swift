// SPDX-License-Identifier: Apache-2.0
// error: capture of 'town' with non-Sendable type 'Town' in a '@Sendable' closure
//
// A child's object is used on its parent's queue, within one thread.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ parent: ContextQueue, _ child: ContextQueue) throws {
  try child.performAndWait { context in
    let town = Town(context: context)
    try parent.performAndWait { _ in town.name = "Lavasan" }
  }
}

// SPDX-License-Identifier: Apache-2.0
// error: passing closure as a 'sending' parameter
//
// A task group shares one object.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func leak(_ town: Town) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<2 { group.addTask { print(town.name) } }
  }
}

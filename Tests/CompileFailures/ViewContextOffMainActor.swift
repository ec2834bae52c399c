// SPDX-License-Identifier: Apache-2.0
// error: main actor-isolated property 'viewContext' can not be referenced
//
// The view context is used outside of the main actor.

import Strata

func leak(_ container: PersistentContainer) throws {
  try container.viewContext.save()
}

// SPDX-License-Identifier: Apache-2.0
// error: returning task-isolated 'selection' as a 'sending' result
//
// An object leaves its queue inside an object that is not managed.

import Strata

@Entity final class Town: ManagedObject { var name: String }

final class Selection {
  var town: Town?
}

func leak(_ queue: ContextQueue) async throws -> Selection {
  try await queue.perform { context in
    let selection = Selection()
    selection.town = Town(context: context)
    return selection
  }
}

// SPDX-License-Identifier: Apache-2.0
package import Strata
package import StrataChanges

/// Keeps a fault planted in a container's store as long as it is held.
package final class Planting {
  private let container: PersistentContainer

  package init(_ fault: PlantedFault?, in container: PersistentContainer) {
    self.container = container
    #if DEBUG
      if let fault { PlantedFault.plant(fault, in: container.coordinator.schema) }
    #endif
  }

  deinit {
    #if DEBUG
      PlantedFault.plant(nil, in: container.coordinator.schema)
    #endif
  }
}

// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataChanges

/// Keeps a fault planted in a container's store as long as it is held.
final class Planting {
  private let container: PersistentContainer

  init(_ fault: PlantedFault?, in container: PersistentContainer) {
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

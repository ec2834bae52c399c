// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataChanges

/// A planted fault by its name: a mistake that the engine makes in debug builds when it is asked
/// to.
package struct Fault: Sendable, Hashable {
  package let name: String

  /// - Throws: `Trial.Unreadable` if there is no such fault.
  package init(_ name: String) throws {
    #if DEBUG
      guard PlantedFault(rawValue: name) != nil else {
        throw Trial.Unreadable(description: "'\(name)' is no planted fault")
      }
      self.name = name
    #else
      throw Trial.Unreadable(description: "faults are planted in debug builds only")
    #endif
  }

  func plant(in container: PersistentContainer) {
    #if DEBUG
      PlantedFault.plant(PlantedFault(rawValue: name), in: container.coordinator.schema)
    #endif
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// This compiles: the view context and its objects on the main actor.

import Strata

@Entity final class Town: ManagedObject { var name: String }

@MainActor final class Screen {
  let container: PersistentContainer
  var shown: Town?

  init(_ container: PersistentContainer) { self.container = container }

  func show(_ id: ObjectID) throws {
    shown = try container.viewContext.existingObject(Town.self, with: id)
  }

  func rename(_ name: String) async throws {
    shown?.name = name
    try container.viewContext.save()
    try await container.root.save()
    shown?.name = name + "!"
  }

  func later() {
    Task { shown?.name = "Lavasan" }
  }
}

func fromElsewhere(_ container: PersistentContainer) async throws -> String? {
  try await MainActor.run { try container.viewContext.fetch(Town.all).first?.name }
}

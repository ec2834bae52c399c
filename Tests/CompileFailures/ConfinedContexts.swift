// SPDX-License-Identifier: Apache-2.0
//
// This compiles: contexts that are made and used in one isolation.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func children(_ queue: ContextQueue) throws -> String {
  let parent = ManagedObjectContext(parent: queue)
  let child = ManagedObjectContext(parent: parent)
  let town = Town(context: child)
  town.name = "Lavasan"
  try child.save()
  return try parent.existingObject(Town.self, with: town.objectID).name
}

func inBody(_ queue: ContextQueue) async throws {
  try await queue.perform { context in
    let child = ManagedObjectContext(parent: context)
    _ = Town(context: child)
    try child.save()
    try context.save()
  }
}

actor Importer {
  private let context: ManagedObjectContext

  init(_ queue: ContextQueue) { context = ManagedObjectContext(parent: queue) }

  func add(_ name: String) throws {
    Town(context: context).name = name
    try context.save()
  }
}

func handsOver(_ queue: ContextQueue) {
  let context = ManagedObjectContext(parent: queue)
  let town = Town(context: context)
  Task {
    town.name = "Lavasan"
    try context.save()
  }
}

func toAnotherIsolation(_ context: ManagedObjectContext) {
  let layer = context.layer
  Task { try ManagedObjectContext(parent: layer).save() }
}

// SPDX-License-Identifier: Apache-2.0
// flags: -default-isolation MainActor
//
// This compiles: a program whose declarations are the main actor's unless they say otherwise.
// Entities stay what their superclass is, of no actor.

import Strata

@Entity final class Town: ManagedObject {
  @Attribute(.indexed) var name: String
  @Relationship(.symmetric) var neighbours: ToMany<Town>

  var greeting: String { "Welcome to \(name)" }
}

func open() throws -> PersistentContainer {
  try PersistentContainer(inMemory: ManagedObjectModel(Town.self))
}

func greetings(_ container: PersistentContainer) throws -> [String] {
  try container.viewContext.fetch(Town.where { $0.name > "L" }.sorted(by: \.name)).map(\.greeting)
}

func addInBackground(_ name: String, to container: PersistentContainer) async throws -> ObjectID {
  try await container.performBackgroundTask { context in
    let town = Town(context: context)
    town.name = name
    try context.save()
    return town.objectID
  }
}

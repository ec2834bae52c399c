// SPDX-License-Identifier: Apache-2.0
import Observation
import Strata
import Testing

/// Reads its members in its last life cycle method.
@Entity private final class Shelf: ManagedObject {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \Volume.shelf) var volumes: ToMany<Volume>

  override func willTurnIntoFault() { _ = volumes.count }
}

@Entity private final class Volume: ManagedObject {
  var shelf: Shelf?
}

@Suite struct `An object that is read while it leaves its context` {
  @Test func `is not looked for by later merges`() throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Shelf.self, Volume.self))
    let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    context.automaticallyMergesChangesFromParent = true
    for _ in 0..<100 {
      do {
        let shelf = Shelf(context: context)
        shelf.name = "A"
        try context.save()
        _ = shelf.volumes.count
        context.delete(shelf)
        try context.save()
      }
      try container.root.performAndWait { other in
        _ = Volume(context: other)
        try other.save()
      }
      context.processPendingChanges()
    }
    #expect(try context.count(Volume.all) == 100)
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// This compiles: names that people try first, because other stores or Swift's own types have them.

import Foundation
import Strata

enum Rank: String, Codable, CaseIterable, Comparable {
  case low, mid, high
  static func < (left: Rank, right: Rank) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }
}

@Entity final class Land: ManagedObject {
  @Attribute(.unique) var iso: String
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \Town.land) var towns: ToMany<Town>
}

@Entity final class Town: ManagedObject {
  var name: String = ""
  var people: Int = 0
  var rank: Rank = .low
  var land: Land?
}

/// An ID of the program's own, beside the object's: `Identifiable` goes on with `objectID`.
@Entity final class Parcel: ManagedObject {
  @Attribute(.unique) var id: UUID
  var label: String = ""

  override var description: String { "parcel \(label)" }
}

func identify(_ parcel: Parcel) -> Bool {
  func id<T: Identifiable>(of value: T) -> T.ID { value.id }
  let (own, objectID): (UUID, ObjectID) = (parcel.id, id(of: parcel))
  return objectID == parcel.objectID && own != UUID() && "\(parcel)".isEmpty
}

func objects(_ context: ManagedObjectContext, _ id: ObjectID) throws {
  let land = Land(context: context)
  let town: Town = try context.existingObject(with: id)
  town.land = land
  land.towns.insert(town)
  land.towns.remove(town)
  _ = town.id == town.objectID && town.objectID.entityName == "Town"
  _ = (context.insertedObjects(of: Town.self), context.updatedObjects(of: Town.self))
  _ = try context.upsert(Land.self, matching: \.iso, equals: "IR")
  try context.withSavepoint { context.delete(land) }
  context.rollback()
  context.reset()
  context.undoManager = ManagedObjectContext.UndoManager()
  context.mergePolicy = .custom("ours") { _ in .takeOurs }
}

func requests(_ context: ManagedObjectContext) throws {
  let large = Town.where { $0.people > 10 && $0.land.name == "Iran" }
    .where { ["a", "b"].contains($0.name) || $0.name.contains("x", options: .caseInsensitive) }
    .sorted(by: \.land?.name).sorted(by: \.people, order: .reverse).sorted(by: \.rank)
    .limit(5).offset(1)
  _ = try context.fetch(large)
  _ = try context.first(large)
  _ = try context.count(large)
  _ = try context.fetchIDs(large)
  _ = try context.sum(large, of: \.people)
  _ = try context.fetch(Town.where { $0.rank >= .mid })
  _ = try context.fetch(Land.all.sorted(by: { $0.towns.count }, order: .reverse))
  let rows = Town.all.select { ($0.land.name, $0.rowCount(), $0.people.sum()) }
    .grouped { $0.land.name }.sorted(by: { $0.people.sum() }, order: .reverse).limit(3)
  for (name, count, sum) in try context.fetch(rows) { print(name ?? "", count, sum) }
  let named = Town.all.select("land.name", .count()).grouped(by: "land.name")
  for row in try context.fetch(named) { print(row["count"] as Any) }
  _ = try FetchPredicate(format: "name == %@", "Bam")
  _ = try context.execute(BatchDeleteRequest(large))
}

func contexts(_ container: PersistentContainer) async throws {
  let worker = container.newBackgroundContext()
  worker.performAndWaitForSave()
  try await container.performBackgroundTask { try $0.save() }
  try await worker.save(to: .store)
  for await message in worker.messages(.didSave) { print(message.objects.updated) }
}

extension ContextQueue {
  func performAndWaitForSave() { try? performAndWait { try $0.save() } }
}

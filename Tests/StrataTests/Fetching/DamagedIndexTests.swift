// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Countries IR and FR and a city in IR, saved; then the city's record has become another behind
/// the back of its indexes: another name, and FR as its country.
private struct Tampered {
  let directory: TemporaryDirectory
  let container: PersistentContainer
  let city: ObjectID

  init() throws {
    directory = try TemporaryDirectory()
    container = try geography(in: directory)
    let context = ManagedObjectContext(parent: container.coordinator)
    let iran = context.country("IR")
    let france = context.country("FR")
    let city = context.city("a", in: iran)
    try context.save()
    self.city = city.objectID
    try tamper(france.objectID)
  }

  private func tamper(_ target: ObjectID) throws {
    let schema = container.coordinator.schema
    let entity = try #require(schema.entity(city.key.entity))
    let snapshot = try container.coordinator.store.snapshot()
    let stored = try #require(try snapshot.record(for: city.key))
    var drafts = DraftArena()
    let draft = Draft.make(entity.layout, base: stored.record, in: &drafts)
    draft.setToOne(target.key, at: try #require(entity.description.slot(named: "country")))
    draft.setValue(.string("b"), at: try #require(entity.description.slot(named: "name")))
    var arena = RecordArena()
    let record = draft.encode(into: &arena)
    var bytes = [UInt8](repeating: 0, count: Envelope.byteCount(for: record))
    bytes.withUnsafeMutableBytes {
      Envelope.encode(record: record, generation: stored.generation, key: city.key, into: $0)
    }
    var options = EnvironmentOptions()
    options.durability = .none
    let path = directory.file("geography.strata").path
    let environment = try Environment.open(at: path, options: options)
    let tree = try #require(try environment.tree(named: "r\(city.key.entity.rawValue)"))
    let (key, envelope) = ((city.key.serial << 16).bigEndian, bytes)
    try environment.writeSync { transaction in
      try withUnsafeBytes(of: key) { key in
        let key = UnsafeRawBufferPointer(rebasing: key.prefix(6))
        try envelope.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
  }

  /// The names of the cities in the store.
  func names() throws -> [String] {
    let reader = ManagedObjectContext(parent: container.coordinator)
    return try reader.fetch(City.all).map(\.name)
  }
}

@Suite struct `An index that names a wrong object` {
  @Test func `has a batch delete by a predicate refused, and nothing deleted`() throws {
    let tampered = try Tampered()
    let request = BatchDeleteRequest(City.where { $0.name == "a" })
    #expect {
      try tampered.container.coordinator.execute(request)
    } throws: { error in
      if case StoreError.damaged = error { true } else { false }
    }
    #expect(try tampered.names() == ["b"])
  }

  @Test func `does not stand in the way of a batch delete that finds the object by its record`()
    throws
  {
    let tampered = try Tampered()
    try tampered.container.coordinator.execute(
      BatchDeleteRequest(objectIDs: [tampered.city]))
    #expect(try tampered.names() == [])
  }

  @Test func `lets a cascade delete nothing, and the save says why`() throws {
    let tampered = try Tampered()
    let context = ManagedObjectContext(parent: tampered.container.coordinator)
    let iran = try #require(try context.fetch(Country.where { $0.iso == "IR" }).first)
    context.delete(iran)
    #expect { try context.save() } throws: { error in
      if case StoreError.damaged = error { true } else { false }
    }
    #expect(try tampered.names() == ["b"])
    #expect(!iran.isDeleted && !context.hasChanges)
    iran.name = "Iran"
    try context.save()
    let reader = ManagedObjectContext(parent: tampered.container.coordinator)
    #expect(try reader.count(Country.where { $0.name == "Iran" }) == 1)
  }
}

@Suite struct `An object whose record is damaged` {
  /// Flips a bit of the record.
  private func damage(_ city: ObjectID, in directory: TemporaryDirectory) throws {
    var options = EnvironmentOptions()
    options.durability = .none
    let path = directory.file("geography.strata").path
    let environment = try Environment.open(at: path, options: options)
    let tree = try #require(try environment.tree(named: "r\(city.key.entity.rawValue)"))
    let key = (city.key.serial << 16).bigEndian
    try environment.writeSync { transaction in
      try withUnsafeBytes(of: key) { key in
        let key = UnsafeRawBufferPointer(rebasing: key.prefix(6))
        var bytes = try transaction.get(key, in: tree).map { [UInt8]($0) } ?? []
        bytes[bytes.count - 1] ^= 1
        try bytes.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
  }

  /// Whether a call says that something is damaged.
  private func saysSo(_ call: () throws -> Void) throws -> Bool {
    do { try call() } catch StoreError.damaged { return true }
    return false
  }

  @Test func `reads as nil or zero and not as deleted, whichever property is read first`() throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let writer = ManagedObjectContext(parent: container.coordinator)
    let cityID = writer.city("a", population: 3, in: writer.country("IR")).objectID
    try writer.save()
    try damage(cityID, in: directory)
    for first in ["country", "population", "name"] {
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = try context.object(City.self, with: cityID)
      if first == "country" { #expect(city.country == nil) }
      if first == "population" { #expect(city.population == 0) }
      #expect(city.name == "" && city.population == 0 && city.country == nil, "\(first)")
      #expect(!city.isDeleted && !context.hasChanges, "\(first)")
      #expect(try saysSo { try context.save() }, "\(first)")
    }
  }

  @Test func `has its error thrown by the next call that fetches, merges or saves, once`() throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let writer = ManagedObjectContext(parent: container.coordinator)
    let (cityID, otherID) = (writer.city("a").objectID, writer.city("b", population: 9).objectID)
    try writer.save()
    try damage(cityID, in: directory)
    let sound = City.where { $0.population == 9 }
    let calls: [(String, (ManagedObjectContext) throws -> Void)] = [
      ("fetch", { _ = try $0.fetch(sound) }), ("fetchIDs", { _ = try $0.fetchIDs(sound) }),
      ("count", { _ = try $0.count(sound) }), ("explain", { _ = try $0.explain(sound) }),
      ("existingObject", { _ = try $0.existingObject(City.self, with: otherID) }),
      ("validationFailures", { _ = try $0.validationFailures() }),
      ("constraintConflicts", { _ = try $0.constraintConflicts() }),
      ("mergeChanges", { try $0.mergeChanges(fromRemoteContextSave: ChangedObjects()) }),
      ("execute", { try $0.execute(BatchDeleteRequest(City.where { $0.population == 4 })) }),
      ("save", { try $0.save() }),
    ]
    for (name, call) in calls {
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = try context.object(City.self, with: cityID)
      #expect(city.population == 0)
      let isSaid = try saysSo { try call(context) }
      #expect(isSaid, "\(name)")
      let isSaidAgain = try saysSo { try call(context) }
      #expect(!isSaidAgain, "\(name)")
    }
  }

  @Test func `is not saved over after a getter could not read it`() throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let writer = ManagedObjectContext(parent: container.coordinator)
    let (cityID, otherID) = (writer.city("a").objectID, writer.city("b").objectID)
    try writer.save()
    try damage(cityID, in: directory)
    let context = ManagedObjectContext(parent: container.coordinator)
    let city: City = try context.object(with: cityID)
    let other: City = try context.object(with: otherID)
    // A getter cannot throw.
    #expect(city.name == "")
    city.population = 7
    other.name = "c"
    let error = try #require(throws: StoreError.self) { try context.save() }
    guard case .damaged = error else { throw error }
    #expect(context.updatedObjects.contains(other) && other.name == "c")
    try? context.save()
    // Repaired, the record is as it was.
    try damage(cityID, in: directory)
    let reader = ManagedObjectContext(parent: container.coordinator)
    let stored = try reader.existingObject(City.self, with: cityID)
    #expect(stored.name == "a")
    #expect(stored.population == 0)
  }
}

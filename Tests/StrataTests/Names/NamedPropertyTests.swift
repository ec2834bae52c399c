// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private struct BoardSize: Codable, Sendable, Equatable { var width: Int }

@Entity private class Shelf: ManagedObject {
  @Attribute(.unique) var label: String
  var capacity: Int16 = 10
  var weight: Double?
  var size: BoardSize?
  @Attribute(.external) var picture: Data?
  @Attribute(.derived(.uppercase("label"))) var title: String
  var room: Room?
  @Relationship(inverse: \Volume.shelf) var volumes: OrderedToMany<Volume>
}

@Entity private final class GlassShelf: Shelf {
  var thickness: Int = 4
}

@Entity private final class Room: ManagedObject {
  var name: String
  @Relationship(inverse: \Shelf.room) var shelves: ToMany<Shelf>
}

@Entity private final class Volume: ManagedObject {
  var title: String
  var shelf: Shelf?
}

@Suite struct `Properties by name` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("shelves.strata")
    let context = try Self.context(at: url, Self.model())
    let room = Room(context: context)
    room.name = "study"
    for label in ["a", "b", "c"] {
      let shelf = label == "c" ? GlassShelf(context: context) : Shelf(context: context)
      (shelf.label, shelf.room) = (label, room)
    }
    let shelf = try #require(try context.first(Shelf.where { $0.label == "a" }))
    (shelf.weight, shelf.size, shelf.picture) = (2.5, BoardSize(width: 80), Data([1, 2]))
    for title in ["x", "y", "z"] {
      let volume = Volume(context: context)
      volume.title = title
      shelf.volumes.append(volume)
    }
    try context.save()
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Shelf.self, GlassShelf.self, Room.self, Volume.self)
  }

  private static func context(
    at url: URL, _ model: ManagedObjectModel, isReadOnly: Bool = false
  ) throws -> ManagedObjectContext {
    ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: url, model: model, durability: .none, isReadOnly: isReadOnly))
  }

  /// A context on the store with the model inside.
  private func context(isReadOnly: Bool = false) throws -> ManagedObjectContext {
    try Self.context(at: url, ManagedObjectModel(ofStoreAt: url), isReadOnly: isReadOnly)
  }

  private func shelf(_ label: String, in context: ManagedObjectContext) throws -> ManagedObject {
    let request = FetchRequest(
      entityName: "Shelf", try FetchPredicate(format: "label = %@", label))
    return try #require(try context.first(request))
  }

  // MARK: - Reading

  @Test func `are read in a store that is opened with the model inside, read-only`() throws {
    let context = try context(isReadOnly: true)
    let shelf = try shelf("a", in: context)
    #expect(type(of: shelf) == ManagedObject.self)
    #expect(shelf.objectID.entityName == "Shelf")
    #expect(try shelf.value(for: "label") == .string("a"))
    #expect(try shelf.value(for: "capacity", as: Int.self) == 10)
    #expect(try shelf.value(for: "weight", as: Double.self) == 2.5)
    #expect(try shelf.value(for: "picture") == .data(Data([1, 2])))
    guard case .codable(let bytes) = try shelf.value(for: "size") else {
      Issue.record("a Codable value is its bytes")
      return
    }
    #expect(try JSONDecoder().decode(BoardSize.self, from: bytes) == BoardSize(width: 80))
    #expect(try self.shelf("b", in: context).value(for: "weight") == .null)
  }

  @Test func `lead to related objects, in their order`() throws {
    let context = try context(isReadOnly: true)
    let shelf = try shelf("a", in: context)
    let room = try #require(try shelf.target(for: "room"))
    #expect(try room.value(for: "name") == .string("study"))
    #expect(try shelf.value(for: "room") == .object(room.objectID))
    #expect(try room.members(for: "shelves").count == 3)
    let volumes = try shelf.orderedMembers(for: "volumes")
    #expect(try volumes.map { try $0.value(for: "title", as: String.self) } == ["x", "y", "z"])
  }

  @Test func `are the properties of a class, too`() throws {
    let context = try Self.context(at: url, Self.model())
    let shelf = try shelf("a", in: context)
    let typed = try #require(shelf as? Shelf)
    #expect(try shelf.value(for: "title", as: String.self) == typed.title)
    try shelf.setValue(.int(12), for: "capacity")
    #expect(typed.capacity == 12)
    #expect(try shelf.orderedMembers(for: "volumes").count == typed.volumes.count)
  }

  // MARK: - Fetching

  @Test func `sort, limit and count a fetch of an entity's name`() throws {
    let context = try context(isReadOnly: true)
    let request = FetchRequest<ManagedObject>(entityName: "Shelf")
    let sorted = try context.fetch(request.sorted(by: "label", order: .reverse).limit(2))
    #expect(try sorted.map { try $0.value(for: "label", as: String.self) } == ["c", "b"])
    #expect(try context.count(request) == 3)
    #expect(try context.count(request.excludingSubentities()) == 2)
    #expect(try context.fetchIDs(request).count == 3)
    #expect(try context.fetch(request.sorted(by: "room.name"), inBatchesOf: 2).count == 3)
    #expect(try context.explain(request).rowsReturned == 3)
  }

  @Test func `are the columns of rows`() throws {
    let context = try context(isReadOnly: true)
    let rows = try context.fetch(
      FetchRequest<ManagedObject>(entityName: "Shelf").select("room.name", .count())
        .grouped(by: "room.name"))
    #expect(rows == [["room.name": .string("study"), "count": .int(3)]])
  }

  @Test func `prefetch the objects at their ends`() throws {
    let context = try context(isReadOnly: true)
    let request = FetchRequest<ManagedObject>(entityName: "Shelf").prefetching("room")
    let shelf = try #require(try context.fetch(request).first)
    #expect(try shelf.target(for: "room")?.isFault == false)
  }

  // MARK: - Setting

  @Test func `are set and saved, and the program with the classes reads them`() throws {
    let context = try context()
    let shelf = try shelf("b", in: context)
    try shelf.setValue(.string("b2"), for: "label")
    try shelf.setValue(.int(7), for: "weight")
    try shelf.setValue(.data(Data([9])), for: "picture")
    try shelf.setValue(.null, for: "room")
    let volume = try EntityDescription.insertNewObject(forEntityName: "Volume", into: context)
    try volume.setValue(.string("new"), for: "title")
    try volume.setValue(.object(self.shelf("a", in: context).objectID), for: "shelf")
    let list = try self.shelf("a", in: context).orderedMembers(for: "volumes")
    list.move(from: 3, to: 0)
    try context.save()
    let typed = try Self.context(at: url, Self.model())
    let read = try #require(try typed.first(Shelf.where { $0.label == "b2" }))
    #expect(read.weight == 7 && read.picture == Data([9]) && read.room == nil)
    let full = try #require(try typed.first(Shelf.where { $0.label == "a" }))
    #expect(full.volumes.map(\.title) == ["new", "x", "y", "z"])
  }

  @Test func `of a new object of a class are set`() throws {
    let context = try Self.context(at: url, Self.model())
    let object = try EntityDescription.insertNewObject(forEntityName: "GlassShelf", into: context)
    let shelf = try #require(object as? GlassShelf)
    #expect(shelf.thickness == 4 && shelf.isInserted)
  }

  // MARK: - Mistakes

  @Test func `that do not exist or do not fit are refused, and the object stays as it is`() throws {
    let context = try context()
    let shelf = try shelf("a", in: context)
    let room = try #require(try shelf.target(for: "room")).objectID
    func refused(_ error: QueryError, _ body: () throws -> Void) {
      #expect(throws: error) { try body() }
    }
    refused(.unknownProperty(entity: "Shelf", keyPath: "colour")) {
      _ = try shelf.value(for: "colour")
    }
    refused(.toManyProperty(entity: "Shelf", property: "volumes")) {
      _ = try shelf.value(for: "volumes")
    }
    refused(.unfitProperty(entity: "Shelf", property: "label")) {
      _ = try shelf.target(for: "label")
    }
    refused(.unfitProperty(entity: "Shelf", property: "room")) {
      _ = try shelf.members(for: "room")
    }
    refused(.unfitAssignment(entity: "Shelf", property: "capacity")) {
      try shelf.setValue(.int(40_000), for: "capacity")
    }
    refused(.unfitAssignment(entity: "Shelf", property: "label")) {
      try shelf.setValue(.null, for: "label")
    }
    refused(.unfitAssignment(entity: "Shelf", property: "label")) {
      try shelf.setValue(.object(room), for: "label")
    }
    refused(.unfitAssignment(entity: "Shelf", property: "room")) {
      try shelf.setValue(.object(shelf.objectID), for: "room")
    }
    refused(.unassignableProperty(entity: "Shelf", property: "volumes")) {
      try shelf.setValue(.null, for: "volumes")
    }
    #expect(!context.hasChanges)
  }

  @Test func `of many members take objects of the destination and of its subentities`() throws {
    let context = try context()
    let room = try #require(try shelf("a", in: context).target(for: "room"))
    let shelves = try room.members(for: "shelves")
    for name in ["Shelf", "GlassShelf"] {
      let shelf = try EntityDescription.insertNewObject(forEntityName: name, into: context)
      shelves.insert(shelf)
      #expect(shelves.contains(shelf))
    }
    #expect(shelves.count == 5)
  }

  @Test func `of many members do not have an object of another entity`() throws {
    let context = try context()
    let shelf = try shelf("a", in: context)
    let room = try #require(try shelf.target(for: "room"))
    for members in try [room.members(for: "shelves"), shelf.members(for: "volumes")] {
      #expect(!members.contains(room))
      members.remove(room)
    }
    #expect(!context.hasChanges)
  }

  @Test func `of many members stop the program at an object of another entity`() async {
    await #expect(processExitsWith: .failure) {
      let context = ManagedObjectContext(parent: try geography().coordinator)
      try context.country("IR").members(for: "languages").insert(context.city("Bam"))
    }
    await #expect(processExitsWith: .failure) {
      let context = ManagedObjectContext(parent: try geography().coordinator)
      try Route(context: context).orderedMembers(for: "stops").append(context.country("IR"))
    }
    await #expect(processExitsWith: .failure) {
      let context = ManagedObjectContext(parent: try geography().coordinator)
      try context.country("IR").members(for: "cities").insert(context.country("OM"))
    }
  }

  @Test func `of a derived attribute are not set in a program with its class`() throws {
    let context = try Self.context(at: url, Self.model())
    let shelf = try shelf("a", in: context)
    #expect(throws: QueryError.unassignableProperty(entity: "Shelf", property: "title")) {
      try shelf.setValue(.string("A"), for: "title")
    }
  }

  @Test func `need an entity that the model has`() throws {
    let context = try context()
    #expect(throws: ContextError.unknownEntity("Self")) {
      _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Self"))
    }
    #expect(throws: ContextError.unknownEntity("ManagedObject")) {
      _ = try context.fetch(FetchRequest<ManagedObject>())
    }
    #expect(throws: ContextError.unknownEntity("Shelfs")) {
      try EntityDescription.insertNewObject(forEntityName: "Shelfs", into: context)
    }
  }

  @Test func `are those of no file that is not a store`() throws {
    let file = folder.file("other")
    try Data("no store".utf8).write(to: file)
    #expect { try ManagedObjectModel(ofStoreAt: file) } throws: {
      if case StoreError.notAStrataStore = $0 { true } else { false }
    }
    #expect { try ManagedObjectModel(ofStoreAt: folder.file("missing")) } throws: {
      if case StoreError.notAStrataStore = $0 { true } else { false }
    }
  }
}

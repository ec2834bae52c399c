// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Entity private final class Shelf: ManagedObject {
  @Attribute(.derived(.count("volumes"))) var volumeCount: Int
  @Relationship(inverse: \Volume.shelf) var volumes: ToMany<Volume>

  @TaskLocal static var willSaveCount: InstanceCount?

  override func willSave() { Self.willSaveCount?.increment() }
}

@Entity private final class Volume: ManagedObject {
  var shelf: Shelf?
}

@Entity private final class Playlist: ManagedObject {
  @Attribute(.derived(.count("songs"))) var songCount: Int
  var songs: OrderedToMany<Song>
}

@Entity private final class Song: ManagedObject {
  var title: String
}

@Suite struct `A derived attribute` {
  @Test func `of a text has its form when the object is saved, and is found by it`() throws {
    try republic().root.performAndWait { context in
      let town = context.town("Lavāsān")
      town.nickname = "straße"
      #expect(town.searchName == "")
      try context.save()
      #expect(town.searchName == "lavasan" && town.shout == "STRASSE")
      #expect(!context.hasChanges)
      town.nickname = nil
      town.name = "ÉŁÍ 한"
      try context.save()
      #expect(town.searchName == "ełi 한" && town.shout == nil)
      let found = try context.fetch(Town.where { $0.searchName == "ełi 한" })
      #expect(found == [town])
    }
  }

  @Test func `that counts or sums follows members that come, go and change`() throws {
    try republic().root.performAndWait { context in
      let (first, second) = (context.realm("A"), context.realm("B"))
      let town = context.town("a", people: 5, in: first)
      town.area = 1.5
      context.town("b", people: 7, in: first)
      try context.save()
      #expect(first.townCount == 2 && first.people == 12 && first.area == 1.5)
      #expect(second.townCount == 0 && second.people == 0)
      town.realm = second
      try context.save()
      #expect(first.townCount == 1 && first.people == 7 && first.area == 0)
      #expect(second.townCount == 1 && second.people == 5 && second.area == 1.5)
      town.people = 6
      try context.save()
      #expect(second.people == 6 && second.townCount == 1)
      context.delete(town)
      try context.save()
      #expect(second.townCount == 0 && second.people == 0)
    }
  }

  @Test func `that counts or sums follows links of two to-many sides`() throws {
    try republic().root.performAndWait { context in
      let (realm, guild) = (context.realm("A"), Guild(context: context))
      guild.wealth = 10
      guild.realms.insert(realm)
      try context.save()
      #expect(realm.guildCount == 1 && realm.wealth == 10)
      guild.wealth = 12.5
      try context.save()
      #expect(realm.wealth == 12.5)
      realm.guilds.remove(guild)
      try context.save()
      #expect(realm.guildCount == 0 && realm.wealth == 0)
    }
  }

  @Test func `that counts an ordered list counts members that were moved`() throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Playlist.self, Song.self))
    try container.root.performAndWait { context in
      let playlist = Playlist(context: context)
      playlist.songs.append(contentsOf: [
        Song(context: context), Song(context: context), Song(context: context),
      ])
      try context.save()
      #expect(playlist.songCount == 3)
      playlist.songs.move(from: 2, to: 0)
      try context.save()
      #expect(playlist.songCount == 3)
    }
  }

  @Test func `that counts a relationship without inverse follows a batch delete`() throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Playlist.self, Song.self))
    try container.root.performAndWait { context in
      let playlist = Playlist(context: context)
      let songs = [Song(context: context), Song(context: context)]
      playlist.songs.append(contentsOf: songs)
      try context.save()
      try context.execute(BatchDeleteRequest(objectIDs: [songs[0].objectID]))
      #expect(playlist.songCount == 1)
      try context.execute(BatchDeleteRequest(Song.all))
      #expect(playlist.songCount == 0)
    }
  }

  @Test func `that copies follows every step of its path`() throws {
    try republic().root.performAndWait { context in
      let (first, second) = (context.realm("A"), context.realm("B"))
      let town = context.town("a", in: first)
      let quarter = Quarter(context: context)
      quarter.town = town
      try context.save()
      #expect(town.realmName == "A" && quarter.realmName == "A")
      first.name = "AA"
      try context.save()
      #expect(town.realmName == "AA" && quarter.realmName == "AA")
      town.realm = second
      try context.save()
      #expect(town.realmName == "B" && quarter.realmName == "B")
      context.delete(second)
      try context.save()
      #expect(town.realmName == nil && quarter.realmName == nil)
      town.realm = first
      quarter.town = nil
      try context.save()
      #expect(town.realmName == "AA" && quarter.realmName == nil)
    }
  }

  @Test func `that is now tells when the object itself was last saved`() throws {
    try republic().root.performAndWait { context in
      let start = Date()
      let realm = context.realm("A")
      #expect(realm.savedAt == nil)
      try context.save()
      let first = try #require(realm.savedAt)
      #expect(first >= start)
      context.town("a", in: realm)
      try context.save()
      #expect(realm.townCount == 1 && realm.savedAt == first)
      realm.name = "B"
      try context.save()
      #expect(realm.savedAt != first)
    }
  }

  @Test
  func
    `is calculated by the save that reaches the store, from the changes that came together there`()
    throws
  {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let realm = context.realm("A")
      try context.save()
      return realm.objectID
    }
    let workers = [container.newBackgroundContext(), container.newBackgroundContext()]
    for worker in workers {
      try worker.performAndWait { context in
        let realm = try context.existingObject(Realm.self, with: id)
        context.town("Über", people: 3, in: realm)
        try context.save()
        #expect(realm.townCount == 0 && !realm.hasChanges)
      }
    }
    try container.root.performAndWait { context in
      let realm = try context.existingObject(Realm.self, with: id)
      #expect(realm.townCount == 0)
      try context.save()
      #expect(realm.townCount == 2 && realm.people == 6)
    }
    try workers[0].performAndWait { context in
      let realm = try context.existingObject(Realm.self, with: id)
      #expect(realm.townCount == 2)
      let names = try context.fetch(Town.all).map(\.searchName)
      #expect(names == ["uber", "uber"])
    }
    let stored = try ContextQueue(parent: container.coordinator).performAndWait {
      try $0.existingObject(Realm.self, with: id).people
    }
    #expect(stored == 6)
  }

  @Test func `obeys its rules where it is worked out`() throws {
    let container = try republic()
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      context.town("a", people: 2_000, in: context.realm("A"))
      try context.expectRefusals([])
    }
    try container.root.performAndWait { context in
      try context.expectRefusals(["Realm.people .range(...1000)"])
      let town = try #require(try context.fetch(Town.all).first)
      town.people = 1_000
      try context.expectRefusals([])
      #expect(town.realm?.people == 1_000)
    }
  }

  @Test func `has willSave called for no object that it alone changes`() throws {
    let count = InstanceCount()
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Shelf.self, Volume.self))
    try Shelf.$willSaveCount.withValue(count) {
      try container.root.performAndWait { context in
        let shelf = Shelf(context: context)
        try context.save()
        #expect(count.value == 1)
        Volume(context: context).shelf = shelf
        try context.save()
        #expect(shelf.volumeCount == 1 && count.value == 1)
      }
    }
  }

  @Test func `is nothing to undo`() throws {
    try republic().root.performAndWait { context in
      let realm = context.realm("A")
      try context.save()
      let undoManager = ManagedObjectContext.UndoManager()
      context.undoManager = undoManager
      let town = context.town("a", in: realm)
      context.processPendingChanges()
      try context.save()
      #expect(realm.townCount == 1)
      context.undo()
      #expect(town.managedObjectContext == nil || town.isDeleted)
      #expect(!undoManager.canUndo)
      try context.save()
      #expect(realm.townCount == 0 && undoManager.canRedo)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Albums whose values and links get another form in the store.
private enum Former {
  @Entity
  final class Album: ManagedObject {
    var title: String
    var cover: Data?
    @Attribute(.external) var scan: Data?
    @Relationship(inverse: \Song.album) var songs: ToMany<Song>
    @Relationship(inverse: \Song.bonusOf) var bonus: OrderedToMany<Song>
  }

  @Entity
  final class Song: ManagedObject {
    var number: Int
    var album: Album?
    var bonusOf: Album?
    @Relationship(inverse: \Genre.songs) var genre: Genre?
  }

  @Entity
  final class Genre: ManagedObject {
    var name: String
    var songs: ToMany<Song>
  }

  static func model() throws -> ManagedObjectModel { try .init(Album.self, Song.self, Genre.self) }
}

private enum Present {
  @Entity
  final class Album: ManagedObject {
    var title: String
    @Attribute(.external) var cover: Data?
    var scan: Data?
    @Relationship(inverse: \Song.album) var songs: OrderedToMany<Song>
    @Relationship(inverse: \Song.bonusOf) var bonus: ToMany<Song>
  }

  @Entity
  final class Song: ManagedObject {
    var number: Int
    var album: Album?
    var bonusOf: Album?
    @Relationship(inverse: \Genre.songs) var genre: ToMany<Genre>
  }

  @Entity
  final class Genre: ManagedObject {
    var name: String
    var songs: ToMany<Song>
  }

  static func model() throws -> ManagedObjectModel { try .init(Album.self, Song.self, Genre.self) }
}

private let albumCount = 30
private let cover = Data(repeating: 1, count: 3_000)
private let scan = Data(repeating: 2, count: 5_000)

private func stage() throws -> MigrationStage {
  // begin forms
  try MigrationStage(
    "other forms", from: Former.model(), to: Present.model(),
    converting: [
      "Album.cover", "Album.scan", "Album.songs", "Album.bonus", "Song.genre", "Genre.songs",
    ]
  ) { migration in
    let context = migration.context
    try migration.forEach("Album") { former in
      let album = try context.existingObject(Present.Album.self, with: former.objectID)
      // External now, or not any more.
      album.cover = try former.value("cover")
      album.scan = try former.value("scan")
      // Ordered now: by the number of the song.
      let songs = try former.members("songs").sorted {
        try $0.value("number", as: Int.self) ?? 0 < $1.value("number", as: Int.self) ?? 0
      }
      for song in songs {
        album.songs.append(try context.existingObject(Present.Song.self, with: song.objectID))
      }
      // Not ordered any more.
      for song in try former.members("bonus") {
        album.bonus.insert(try context.existingObject(Present.Song.self, with: song.objectID))
      }
    }
    try migration.forEach("Song") { former in
      // To-many now.
      guard let genre = try former.target("genre") else { return }
      let song = try context.existingObject(Present.Song.self, with: former.objectID)
      song.genre.insert(try context.existingObject(Present.Genre.self, with: genre.objectID))
    }
  }
  // end
}

@Suite struct `Another form of a value or of links in the store` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store")
    let container = try PersistentContainer(at: url, model: Former.model(), durability: .none)
    try container.root.performAndWait { context in
      let genres = ["polka", "tango"].map { name in
        let genre = Former.Genre(context: context)
        genre.name = name
        return genre
      }
      for place in 0..<albumCount {
        let album = Former.Album(context: context)
        album.title = "\(place)"
        if place > 0 { (album.cover, album.scan) = (cover + [UInt8(place)], scan + [UInt8(place)]) }
        for number in 0..<4 {
          let song = Former.Song(context: context)
          (song.number, song.album) = (3 - number, album)
          if number > 0 { song.genre = genres[number % 2] }
          if number > 1 { album.bonus.insert(song, at: 0) }
        }
      }
      try context.save()
    }
  }

  @Test func `is not inferred, and the error names each of them`() throws {
    let error = try #require(throws: StoreError.self) {
      try PersistentContainer(at: url, model: Present.model(), durability: .none)
    }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(
      Set(found) == [
        ModelMismatch("Album", property: "cover", .changedStorage),
        ModelMismatch("Album", property: "scan", .changedStorage),
        ModelMismatch("Album", property: "songs", .changedRelationship),
        ModelMismatch("Album", property: "bonus", .changedRelationship),
        ModelMismatch("Song", property: "genre", .changedRelationship),
        ModelMismatch("Genre", property: "songs", .changedRelationship),
      ])
    let container = try PersistentContainer(at: url, model: Former.model(), durability: .none)
    try container.root.performAndWait { context in
      let count = try context.count(Former.Album.all)
      #expect(count == albumCount)
    }
  }

  @Test func `is made by a stage, which keeps all values and links`() throws {
    for _ in 0..<2 {
      let container = try PersistentContainer(
        at: url, model: Present.model(), migratingWith: MigrationPlan(stage()), durability: .none)
      try container.root.performAndWait { context in
        let albums = try context.fetch(Present.Album.all)
        #expect(albums.count == albumCount)
        for album in albums {
          let place = UInt8(album.title) ?? 0
          #expect(album.cover == (place == 0 ? nil : cover + [place]))
          #expect(album.scan == (place == 0 ? nil : scan + [place]))
          #expect(album.songs.map(\.number) == [0, 1, 2, 3])
          #expect(Set(album.bonus.map(\.number)) == [0, 1])
          #expect(album.songs.allSatisfy { $0.album === album })
          #expect(album.bonus.allSatisfy { $0.bonusOf === album })
          let genres = album.songs.map { $0.genre.map(\.name) }
          #expect(genres == [["tango"], ["polka"], ["tango"], []])
        }
        let genres = try context.fetch(Present.Genre.all.sorted(by: \.name))
        #expect(genres.map(\.songs.count) == [albumCount, 2 * albumCount])
      }
    }
  }
}

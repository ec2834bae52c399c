// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// An ordered relationship that moves to a superentity, and one that goes.
private enum Ordered {
  enum Former {
    @Entity
    final class Playlist: ManagedObject {
      var name: String
      @Relationship(inverse: \Song.playlist) var songs: OrderedToMany<Song>
    }

    @Entity
    final class Song: ManagedObject {
      var title: String
      var playlist: Playlist?
    }

    static func model() throws -> ManagedObjectModel { try .init(Playlist.self, Song.self) }
  }

  enum Present {
    @Entity(isAbstract: true)
    class Collection: ManagedObject {
      @Relationship(inverse: \Song.playlist) var songs: OrderedToMany<Song>
    }

    @Entity
    final class Playlist: Collection {
      var name: String
    }

    @Entity
    final class Song: ManagedObject {
      var title: String
      var playlist: Collection?
    }

    static func model() throws -> ManagedObjectModel { try .init(Playlist.self, Song.self) }
  }

  enum Unordered {
    @Entity
    final class Playlist: ManagedObject {
      var name: String
    }

    @Entity
    final class Song: ManagedObject {
      var title: String
      var playlist: Playlist?
    }

    static func model() throws -> ManagedObjectModel { try .init(Playlist.self, Song.self) }
  }
}

/// A superentity and a subentity whose relationships exchange their names.
private enum Exchanged {
  enum Former {
    @Entity(isAbstract: true)
    class Upper: ManagedObject {
      var name: String
      var likes: ToMany<Tag>
    }

    @Entity final class Left: Upper {}

    @Entity
    final class Right: Upper {
      var seen: ToMany<Tag>
    }

    @Entity
    final class Tag: ManagedObject {
      var text: String
    }

    static func model() throws -> ManagedObjectModel {
      try .init(Left.self, Right.self, Tag.self)
    }
  }

  enum Present {
    @Entity(isAbstract: true)
    class Upper: ManagedObject {
      var name: String
      @Relationship(originalName: "likes") var seen: ToMany<Tag>
    }

    @Entity final class Left: Upper {}

    @Entity
    final class Right: Upper {
      @Relationship(originalName: "seen") var likes: ToMany<Tag>
    }

    @Entity
    final class Tag: ManagedObject {
      var text: String
    }

    static func model() throws -> ManagedObjectModel {
      try .init(Left.self, Right.self, Tag.self)
    }
  }

  /// The superentity's takes the name, and the subentity's is new.
  enum Taken {
    @Entity(isAbstract: true)
    class Upper: ManagedObject {
      var name: String
      @Relationship(originalName: "likes") var seen: ToMany<Tag>
    }

    @Entity final class Left: Upper {}

    @Entity
    final class Right: Upper {
      var likes: ToMany<Tag>
    }

    @Entity
    final class Tag: ManagedObject {
      var text: String
    }

    static func model() throws -> ManagedObjectModel {
      try .init(Left.self, Right.self, Tag.self)
    }
  }
}

private func open(
  _ url: URL, _ model: ManagedObjectModel, removing: Set<String> = []
) throws -> PersistentContainer {
  try PersistentContainer(at: url, model: model, removing: removing, durability: .none)
}

@Suite struct `The links of a relationship` {
  private let titles = ["d", "a", "c", "b", "e"]

  private func makeOrdered(at url: URL) throws {
    try open(url, Ordered.Former.model()).root.performAndWait { context in
      let songs = titles.sorted().map { title in
        let song = Ordered.Former.Song(context: context)
        song.title = title
        return song
      }
      let playlist = Ordered.Former.Playlist(context: context)
      playlist.name = "list"
      for title in titles {
        playlist.songs.append(try #require(songs.first { $0.title == title }))
      }
      try context.save()
    }
  }

  @Test func `keep their order when the relationship moves to a superentity`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeOrdered(at: url)
    try open(url, Ordered.Present.model()).root.performAndWait { context in
      let playlist = try #require(try context.fetch(Ordered.Present.Playlist.all).first)
      #expect(playlist.songs.map(\.title) == titles)
    }
    try open(url, Ordered.Former.model(), removing: ["Collection"]).root.performAndWait {
      context in
      let playlist = try #require(try context.fetch(Ordered.Former.Playlist.all).first)
      #expect(playlist.songs.map(\.title) == titles)
    }
  }

  @Test func `are data of an ordered relationship, whose inverse stays`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeOrdered(at: url)
    let error = try #require(throws: StoreError.self) { try open(url, Ordered.Unordered.model()) }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(found.map(\.description).contains { $0.contains("Playlist.songs") })
    #expect(found.map(\.kind) == [.removed])
    _ = try open(url, Ordered.Unordered.model(), removing: ["Playlist.songs"])
  }

  private func makeExchanged(at url: URL) throws {
    try open(url, Exchanged.Former.model()).root.performAndWait { context in
      let tags = (0..<6).map { number in
        let tag = Exchanged.Former.Tag(context: context)
        tag.text = "\(number)"
        return tag
      }
      let left = Exchanged.Former.Left(context: context)
      left.name = "left"
      for number in [1, 4] { left.likes.insert(tags[number]) }
      let right = Exchanged.Former.Right(context: context)
      right.name = "right"
      for number in [0, 1, 2] { right.likes.insert(tags[number]) }
      for number in [2, 3, 5] { right.seen.insert(tags[number]) }
      try context.save()
    }
  }

  @Test func `stay apart from those of another, with which it exchanges the name`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeExchanged(at: url)
    // Twice: the second opening reads the links that the first has written.
    for _ in 0..<2 {
      try open(url, Exchanged.Present.model()).root.performAndWait { context in
        let left = try #require(try context.fetch(Exchanged.Present.Left.all).first)
        let right = try #require(try context.fetch(Exchanged.Present.Right.all).first)
        #expect(left.seen.map(\.text).sorted() == ["1", "4"])
        #expect(right.seen.map(\.text).sorted() == ["0", "1", "2"])
        #expect(right.likes.map(\.text).sorted() == ["2", "3", "5"])
      }
    }
  }

  @Test func `are not dropped for those of another, which takes the name, unless they are named`()
    throws
  {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeExchanged(at: url)
    let error = try #require(throws: StoreError.self) { try open(url, Exchanged.Taken.model()) }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(found == [ModelMismatch("Right", property: "seen", .replaced(by: "likes"))])
    for _ in 0..<2 {
      try open(url, Exchanged.Taken.model(), removing: ["Right.seen"]).root.performAndWait {
        context in
        let left = try #require(try context.fetch(Exchanged.Taken.Left.all).first)
        let right = try #require(try context.fetch(Exchanged.Taken.Right.all).first)
        #expect(left.seen.map(\.text).sorted() == ["1", "4"])
        #expect(right.seen.map(\.text).sorted() == ["0", "1", "2"])
        #expect(right.likes.isEmpty)
      }
    }
  }
}

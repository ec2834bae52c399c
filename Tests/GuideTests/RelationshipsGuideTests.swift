// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Relationships.md, part by part.
@Suite struct `The guide to relationships` {
  // begin entities
  @Entity final class Artist: ManagedObject {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: ToMany<Album>
    @Relationship(.symmetric) var influences: ToMany<Artist>
  }

  @Entity final class Album: ManagedObject {
    var title: String
    @Relationship(.required) var artist: Artist?
    @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: OrderedToMany<Track>
    @Relationship(inverse: \Tag.albums) var tags: ToMany<Tag>
  }

  @Entity final class Track: ManagedObject {
    var title: String
    var seconds: Int = 0
    var album: Album?
  }

  @Entity final class Tag: ManagedObject {
    @Attribute(.unique) var name: String
    var albums: ToMany<Album>
  }
  // end

  @Test func `keeps both ends of a relationship together`() async throws {
    try await inContext { context in
      // begin linking
      let artist = Artist(context: context)
      artist.name = "Kayhan Kalhor"
      let album = Album(context: context)
      album.title = "Silent City"
      album.artist = artist  // the same link as artist.albums.insert(album)
      for (title, seconds) in [("Ascending Bird", 527), ("Silent City", 1_716)] {
        let track = Track(context: context)
        (track.title, track.seconds) = (title, seconds)
        album.tracks.append(track)  // sets track.album
      }
      // end
      #expect(artist.albums.contains(album))
      #expect(album.tracks.map(\.title) == ["Ascending Bird", "Silent City"])
      #expect(album.tracks.allSatisfy { $0.album === album })

      // begin order
      let track = Track(context: context)
      track.title = "Parvaz"
      album.tracks.insert(track, at: 1)
      album.tracks.move(from: 2, to: 0)
      // end
      #expect(album.tracks.map(\.title) == ["Silent City", "Ascending Bird", "Parvaz"])

      // begin many-to-many
      let tag = Tag(context: context)
      tag.name = "live"
      album.tags.insert(tag)
      tag.albums.remove(album)  // takes the album's tag away, too
      // end
      #expect(album.tags.isEmpty)
      tag.albums.insert(album)

      // begin symmetric
      let teacher = Artist(context: context)
      artist.influences.insert(teacher)
      // teacher.influences has the artist, too
      // end
      #expect(teacher.influences.contains(artist))

      // begin asking
      let long = try context.fetch(
        Track.where { $0.album == album && $0.seconds > 600 }.sorted(by: \.title))
      let busy = try context.fetch(Artist.where { $0.albums.any { $0.tracks.count > 10 } })
      let number = artist.albums.count  // no album is loaded
      // end
      #expect(long.map(\.title) == ["Silent City"])
      #expect(busy.isEmpty)
      #expect(number == 1)
      try context.save()
    }
  }

  @Test func `deletes by the rules`() async throws {
    try await inContext { context in
      let artist = Artist(context: context)
      let album = Album(context: context)
      album.artist = artist
      let track = Track(context: context)
      album.tracks.append(track)
      try context.save()
      // begin deleting
      context.delete(artist)
      // album.isDeleted and track.isDeleted are true at once
      try context.save()
      // end
      #expect(try context.count(Album.all) == 0)
      #expect(try context.count(Track.all) == 0)
    }
  }

  @Test func `refuses an empty relationship that is required`() async throws {
    try await inContext { context in
      let album = Album(context: context)
      album.title = "No artist"
      // begin required
      do {
        try context.save()
      } catch ContextError.validationFailed(let failures) {
        for failure in failures { print(failure.entity, failure.property ?? "", failure.message) }
      }
      // end
      let failures = try context.validationFailures()
      #expect(failures.map(\.property) == ["artist"])
      #expect(failures.map(\.rule) == [.required])
    }
  }

  /// Runs `body` in the root of a container in memory.
  private func inContext(
    _ body: @Sendable (ManagedObjectContext) throws -> Void
  ) async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Artist.self, Album.self, Track.self, Tag.self))
    try await container.root.perform { try body($0) }
  }
}

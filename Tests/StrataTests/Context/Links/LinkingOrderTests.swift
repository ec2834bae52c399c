// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

/// An album, saved, and tracks A, B, C, D, created in this order.
@Suite struct `Members of an ordered relationship that are linked from their own side` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let album: Album
  private let tracks: [Track]

  init() throws {
    container = try geography()
    context = ManagedObjectContext(parent: container.coordinator)
    album = Album(context: context)
    let made = context
    tracks = ["A", "B", "C", "D"].map { made.track($0) }
    try context.save()
  }

  private func stored() throws -> String {
    let reader = ManagedObjectContext(parent: container.coordinator)
    let albums = try reader.fetch(Album.all)
    return albums[0].tracks.map(\.name).joined()
  }

  private func shown() -> String { album.tracks.map(\.name).joined() }

  @Test func `stand last, in the order of linking`() throws {
    for place in [2, 0, 3, 1] { tracks[place].album = album }
    #expect(shown() == "CADB")
    try context.save()
    #expect(shown() == "CADB")
    #expect(try stored() == "CADB")
  }

  @Test func `stand behind those that were linked in earlier turns and saves`() throws {
    tracks[3].album = album
    context.processPendingChanges()
    tracks[1].album = album
    try context.save()
    tracks[0].album = album
    #expect(shown() == "DBA")
    try context.save()
    tracks[2].album = album
    try context.save()
    #expect(try stored() == "DBAC")
  }

  @Test func `stand behind those that were put into the list, and before those put there later`()
    throws
  {
    album.tracks.append(tracks[3])
    tracks[2].album = album
    tracks[0].album = album
    album.tracks.append(tracks[1])
    #expect(shown() == "DCAB")
    try context.save()
    #expect(try stored() == "DCAB")
  }

  @Test func `stand last again when they come back`() throws {
    for place in [0, 1, 2] { tracks[place].album = album }
    try context.save()
    tracks[0].album = nil
    tracks[0].album = album
    #expect(shown() == "BCA")
    try context.save()
    #expect(try stored() == "BCA")
  }

  @Test func `keep the order of linking through a parent`() throws {
    let child = ManagedObjectContext(parent: context)
    let album = try child.existingObject(Album.self, with: album.objectID)
    for place in [3, 1, 2] {
      try child.existingObject(Track.self, with: tracks[place].objectID).album = album
    }
    try child.save()
    context.processPendingChanges()
    #expect(shown() == "DBC")
    tracks[0].album = self.album
    #expect(shown() == "DBCA")
    try context.save()
    #expect(try stored() == "DBCA")
  }
}
